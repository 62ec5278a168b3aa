"""Markdown of briefs, comments and results, as the pages show it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakedbrie.lib.web.markdown import render_markdown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**bold** and `code`", "<p><strong>bold</strong> and <code>code</code></p>"),
        ("~~gone~~", "<p><s>gone</s></p>"),
        ("3. three", '<ol start="3">\n<li>three</li>\n</ol>'),
        ("# One\n\n### Three", "<h3>One</h3>\n<h5>Three</h5>"),
        ("## Two", "<h3>Two</h3>"),
        ("a <b>b</b> & c", "<p>a &lt;b&gt;b&lt;/b&gt; &amp; c</p>"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        (
            "![a *cat*](https://example.com/a.png)",
            '<p><a href="https://example.com/a.png" rel="noopener noreferrer nofollow ugc">a cat</a></p>',
        ),
        (
            "<https://e.org/?a&b>",
            '<p><a href="https://e.org/?a&amp;b" rel="noopener noreferrer nofollow ugc">https://e.org/?a&amp;b</a></p>',
        ),
    ],
)
def test_markdown_becomes_clean_html(text: str, shown: str) -> None:
    assert render_markdown(text).strip() == shown


@given(
    st.lists(
        st.sampled_from(
            [
                "<script>",
                "</p>",
                "<img src=x onerror=1>",
                "[a](",
                "javascript:",
                "data:",
                "![",
                "](",
                ")",
                "`",
                "#",
                "|",
                "\n",
                "\n\n",
                "<!--",
                "-->",
                "&#x6a;",
                "\t",
                '"',
                "'",
                "<",
                ">",
                "a",
            ]
        ),
        max_size=30,
    ).map("".join)
)
def test_no_text_makes_a_tag_or_an_address_that_acts(text: str) -> None:
    html = render_markdown(text).lower()

    assert not any(
        bad in html for bad in ("<script", "<img", "<!--", 'href="javascript', 'href="data', "<svg", "<style")
    )


def test_what_scrolls_when_it_is_wide_is_reached_by_keyboard() -> None:
    table, code = render_markdown("| a |\n|---|\n| b |"), render_markdown("```\ncode\n```")

    assert (table.count('<table tabindex="0">'), code.count('<pre tabindex="0">')) == (1, 1)
