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
