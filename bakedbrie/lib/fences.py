"""The fenced blocks of an agent's reply: code fences whose language is ``bakedbrie-<name>``, with JSON inside.

Fences are read as CommonMark reads them at the top level: backticks or tildes, closed by at least as many of the
same. A block that is shown inside another fence is an example, not a block.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bakedbrie.lib import strictjson

MOST_CHARACTERS = 65_536

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_OPENING = re.compile(r" {0,3}(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^\r\n]*)")
_NAME = re.compile(r"bakedbrie-([a-z][a-z0-9-]{0,39})", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Block:
    """One block. Either ``problem`` says, for the agent to read, why it cannot be used, or ``value`` holds its JSON."""

    name: str
    body: str
    value: object = None
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """The Markdown without its blocks, and the blocks in the order they came."""

    text: str
    blocks: tuple[Block, ...] = ()


def take_blocks(markdown: str) -> Reply:
    """Return the reply taken apart. Without a block the text is the very same."""
    kept: list[str] = []
    blocks: list[Block] = []
    lines = _LINE.findall(markdown)
    position = 0
    while position < len(lines):
        opening = _read_opening(lines[position])
        if opening is None:
            kept.append(lines[position])
            position += 1
            continue
        fence, name = opening
        end = _find_closing(lines, position + 1, fence)
        if name:
            blocks.append(_read_block(name, lines[position + 1 : end], is_closed=end < len(lines)))
        else:
            kept += lines[position : end + 1]
        position = end + 1
    text = "".join(kept)
    return Reply(text=text.rstrip() if blocks else text, blocks=tuple(blocks))


def _read_opening(line: str) -> tuple[str, str] | None:
    """Return the fence and the block's name (empty for any other fence), or None when no fence opens here."""
    match = _OPENING.match(line)
    if match is None or (match["fence"][0] == "`" and "`" in match["info"]):
        return None
    words = match["info"].split()
    name = _NAME.fullmatch(words[0]) if words else None
    return match["fence"], name[1].lower() if name else ""


def _find_closing(lines: list[str], start: int, fence: str) -> int:
    """Return the index of the closing line, or of the end: an open fence runs to the end of the reply."""
    closing = re.compile(rf" {{0,3}}{re.escape(fence[0])}{{{len(fence)},}}[ \t]*[\r\n]*")
    return next((index for index in range(start, len(lines)) if closing.fullmatch(lines[index])), len(lines))


def _read_block(name: str, lines: list[str], *, is_closed: bool) -> Block:
    body = "".join(lines)
    if not is_closed:
        return Block(name=name, body=body, problem="The block has no closing fence.")
    if len(body) > MOST_CHARACTERS:
        return Block(name=name, body=body, problem=f"The block is longer than {MOST_CHARACTERS} characters.")
    try:
        return Block(name=name, body=body, value=strictjson.loads(body, unique_keys=True))
    except strictjson.NotJson as error:
        return Block(name=name, body=body, problem=str(error))
