"""Markdown that people and agents wrote, as HTML that can do nothing but be read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import nh3
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

_TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
_SCHEMES = {"http", "https", "mailto"}
_HEADINGS_LOWER_BY = 2  # the page's own title and section headings come first


def render_markdown(text: str) -> str:
    """Return clean HTML. Raw HTML shows as text, images become links: the page loads nothing from elsewhere."""
    return nh3.clean(
        _parser().render(text),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer nofollow ugc",
    )


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.add_render_rule("image", _image_as_link)
    parser.add_render_rule("heading_open", _lower_heading)
    parser.add_render_rule("heading_close", _lower_heading)
    return parser


def _lower_heading(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    token = tokens[index]
    token.tag = f"h{min(6, int(token.tag[1]) + _HEADINGS_LOWER_BY)}"
    return renderer.renderToken(tokens, index, options, env)


def _image_as_link(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    token = tokens[index]
    label = renderer.renderInlineAsText(token.children, options, env) if token.children else ""
    source = str(token.attrGet("src") or "")
    return f'<a href="{escapeHtml(source)}">{escapeHtml(label or source)}</a>'
