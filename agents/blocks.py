"""An agent's reply taken apart: the work for the card, and the blocks that ask BakedBrie for something.

No block can do anything yet. Each is taken out of the text and named in the turn's notes, never acted on. Lines that
are nothing but the marks of a prompt are left out: models echo them at times.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from bakedbrie.lib import fences

MOST_NOTES = 20
_MARK = re.compile(
    r"^\[(?:data [0-9a-f]{16} [^\]\r\n]*|end of data [0-9a-f]{16})\][ \t]*(?:\r\n|\r|\n|\Z)", re.MULTILINE
)


@dataclass(frozen=True, kw_only=True)
class Parsed:
    """``text`` is what the card keeps; ``ignored`` names the blocks that were left out, in order."""

    text: str = field(repr=False)
    ignored: tuple[str, ...] = ()


def parse(reply: str) -> Parsed:
    """Take blocks and echoed marks out of a reply."""
    taken = fences.take_blocks(_MARK.sub("", reply))
    return Parsed(text=taken.text.strip(), ignored=tuple(block.name for block in taken.blocks[:MOST_NOTES]))
