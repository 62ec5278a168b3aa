"""Blocks of a reply are taken out and named, and nothing else."""

from __future__ import annotations

import pytest

from agents.blocks import Parsed, parse


def test_a_reply_without_blocks_is_the_work() -> None:
    assert parse("\n# Tools\n\n```python\nprint()\n```\n") == Parsed(text="# Tools\n\n```python\nprint()\n```")


@pytest.mark.parametrize("name", ["connection-request", "attach", "email", "outputs", "something-new"])
def test_a_block_is_taken_out_and_named(name: str) -> None:
    reply = f'# Tools\n\n```bakedbrie-{name}\n{{"connection": "fal"}}\n```\n'

    assert parse(reply) == Parsed(text="# Tools", ignored=(name,))


def test_a_reply_of_nothing_but_a_block_is_empty() -> None:
    assert parse("```bakedbrie-attach\n{}\n```") == Parsed(text="", ignored=("attach",))


def test_a_block_shown_as_an_example_stays() -> None:
    reply = "~~~~\n```bakedbrie-attach\n{}\n```\n~~~~"

    assert parse(reply) == Parsed(text=reply)


MARK = "0123456789abcdef"


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_marks_of_the_prompt_that_the_model_echoed_are_left_out(ending: str) -> None:
    lines = [
        f"[data {MARK} card: what is wanted]",
        "# Tools",
        f"[end of data {MARK}] ",
        "",
        "Oven.",
        f"[end of data {MARK}]",
    ]

    assert parse(ending.join(lines)) == Parsed(text=f"# Tools{ending}{ending}Oven.")


@pytest.mark.parametrize(
    "line",
    [
        f"The mark [end of data {MARK}] ends it.",
        f"> [end of data {MARK}]",
        "[data card: what is wanted]",
        "[end of data]",
        f"[end of data {MARK}0]",
        f"[data {MARK} a] b]",
    ],
)
def test_a_line_that_is_not_just_a_mark_stays(line: str) -> None:
    assert parse(line) == Parsed(text=line)


def test_a_reply_of_nothing_but_marks_is_empty() -> None:
    assert parse(f"[data {MARK} card: x]\n[end of data {MARK}]") == Parsed(text="")
