"""The fenced blocks at the end of an agent's reply."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakedbrie.lib.fences import MOST_CHARACTERS, Block, take_blocks


def values(markdown: str) -> list[tuple[str, object]]:
    return [(block.name, block.value) for block in take_blocks(markdown).blocks]


def problems(markdown: str) -> list[str]:
    return [block.problem for block in take_blocks(markdown).blocks]


def test_a_block_is_taken_out_of_the_reply() -> None:
    reply = take_blocks('The video is asked for.\n\n```bakedbrie-connection-request\n{"connection":"fal"}\n```\n')

    assert reply.text == "The video is asked for."
    assert reply.blocks == (
        Block(name="connection-request", body='{"connection":"fal"}\n', value={"connection": "fal"}),
    )


@pytest.mark.parametrize(
    "markdown",
    [
        '```bakedbrie-attach\n{"files":[]}\n```',
        '```bakedbrie-attach\r\n{"files":[]}\r\n```\r\n',
        '```bakedbrie-attach\r{"files":[]}\r```\r',
        '~~~bakedbrie-attach\n{"files":[]}\n~~~',
        '`````bakedbrie-attach\n{"files":[]}\n``````  ',
        '   ``` bakedbrie-attach json\n{"files":[]}\n  ```',
        '```BakedBrie-Attach\n{"files":[]}\n```',
        '```bakedbrie-attach\n\n{\n  "files": []\n}\n\n```',
        '````bakedbrie-attach\n{"files":[]}\n````\n',
    ],
)
def test_every_way_to_write_a_fence_is_read(markdown: str) -> None:
    assert values(markdown) == [("attach", {"files": []})]
    assert take_blocks(markdown).text == ""


@pytest.mark.parametrize(
    "markdown",
    [
        "No block here.\n",
        '```json\n{"a":1}\n```\n',
        "````markdown\n```bakedbrie-attach\n{}\n```\n````\n",
        "~~~\n```bakedbrie-attach\n{}\n```\n~~~\n",
        "```\n~~~bakedbrie-attach\n{}\n~~~\n```\n",
        "    ```bakedbrie-attach\n    {}\n    ```\n",
        "> ```bakedbrie-attach\n> {}\n> ```\n",
        "Use ```bakedbrie-attach``` for files.\n",
        "```bakedbrie-attach {} ```\n",
        "``bakedbrie-attach\n{}\n``\n",
        "```bakedbrie-\n{}\n```\n",
        "```bakedbrie_attach\n{}\n```\n",
        "```text bakedbrie-attach\n{}\n```\n",
        "```\nnever closed\n```bakedbrie-attach\n{}\n",
        "Ends with spaces  \n\n",
        "",
    ],
)
def test_what_is_no_block_stays_as_it_was(markdown: str) -> None:
    reply = take_blocks(markdown)

    assert reply.text == markdown
    assert reply.blocks == ()


def test_blocks_keep_their_order_and_the_text_between_them() -> None:
    markdown = "One\n```bakedbrie-attach\n1\n```\nTwo\n~~~bakedbrie-email\n2\n~~~\nThree\n"

    assert take_blocks(markdown).text == "One\nTwo\nThree"
    assert values(markdown) == [("attach", 1), ("email", 2)]


def test_a_block_may_hold_fences_inside_its_text() -> None:
    assert values('````bakedbrie-email\n{"body":"```\\n"}\n````') == [("email", {"body": "```\n"})]


@pytest.mark.parametrize("end", ["", "\n``\n", "\n~~~\n", '{"a":2}```', "\n    ```"])
def test_a_block_without_its_end_has_a_problem_and_still_leaves_the_text(end: str) -> None:
    reply = take_blocks(f'Done.\n```bakedbrie-attach\n{{"files":["a.png"]}}{end}')

    assert reply.text == "Done."
    assert [(block.value, block.problem) for block in reply.blocks] == [(None, "The block has no closing fence.")]


@pytest.mark.requirement("C062", "C082")
@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("", "It is not JSON: line 2, column 1."),
        ("{'a': 1}", "It is not JSON: line 1, column 2."),
        ('{"a": 1 2}', "It is not JSON: line 1, column 9."),
        ('{"a": 1} {"b": 2}', "It is not JSON: line 1, column 10."),
        ('{"a": 1, "a": 2}', "A key is given twice."),
        ('{"x": {"a": 1, "a": 1}}', "A key is given twice."),
        ('{"a": NaN}', "NaN and Infinity are no JSON."),
        ('{"a": -Infinity}', "NaN and Infinity are no JSON."),
        ("1" * 5000, "It holds a number with too many digits."),
        ("[" * 60_000, "It is nested deeper than 64 levels."),
        ("[" * 30_000 + "]" * 30_000, "It is nested deeper than 64 levels."),
        ('{"a":' * 65 + "1" + "}" * 65, "It is nested deeper than 64 levels."),
        ('"' + "a" * MOST_CHARACTERS + '"', f"The block is longer than {MOST_CHARACTERS} characters."),
    ],
)
def test_a_body_that_cannot_be_used_has_a_problem_to_tell_the_agent(body: str, problem: str) -> None:
    assert problems(f"```bakedbrie-attach\n{body}\n```") == [problem]


@pytest.mark.requirement("C082")
def test_values_keep_their_kind() -> None:
    body = '{"int": 5, "float": 5.0, "exp": 1e2, "text": "5", "yes": true, "none": null, "nul": "\\u0000"}'

    ((_, value),) = values(f"```bakedbrie-connection-request\n{body}\n```")

    assert value == {"int": 5, "float": 5.0, "exp": 100.0, "text": "5", "yes": True, "none": None, "nul": "\x00"}
    assert isinstance(value, dict)
    assert [type(value[key]) for key in ("int", "float", "exp", "text", "yes")] == [int, float, float, str, bool]


def test_a_nesting_at_the_limit_is_fine() -> None:
    assert problems("```bakedbrie-attach\n" + "[" * 64 + "]" * 64 + "\n```") == [""]


@given(st.text(alphabet='`~ab-\n\r {}"1:', max_size=200))
def test_any_text_is_taken_apart_without_losing_what_is_no_block(markdown: str) -> None:
    reply = take_blocks(markdown)

    assert reply.blocks == ()
    assert reply.text == markdown


@given(
    st.text(max_size=80).filter(lambda text: "`" not in text and "~" not in text),
    st.integers(3, 6),
    st.sampled_from("`~"),
)
def test_a_block_after_any_plain_text_is_found(text: str, length: int, mark: str) -> None:
    fence = mark * length

    reply = take_blocks(f"{text}\n{fence}bakedbrie-attach\n[1]\n{fence}\n")

    assert [block.value for block in reply.blocks] == [[1]]
    assert reply.text == text.rstrip()
