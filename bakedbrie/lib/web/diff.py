"""What differs between two texts, line by line, for people to see."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

_AROUND = 2  # unchanged lines shown beside a change


@dataclass(frozen=True, kw_only=True)
class Line:
    """``kind`` is same, gone, new, or gap for lines in between that are the same and not shown."""

    kind: str
    text: str = ""


def changed_lines(before: str, after: str) -> Iterator[Line]:
    """Yield the lines that differ, with a few around them; nothing when all are the same."""
    if before == after:
        return
    old, new = before.split("\n"), after.split("\n")
    last = 0
    for group in SequenceMatcher(a=old, b=new).get_grouped_opcodes(_AROUND):
        if group[0][1] > last:
            yield Line(kind="gap")
        for tag, old_from, old_to, new_from, new_to in group:
            if tag == "equal":
                yield from (Line(kind="same", text=text) for text in old[old_from:old_to])
                continue
            yield from (Line(kind="gone", text=text) for text in old[old_from:old_to])
            yield from (Line(kind="new", text=text) for text in new[new_from:new_to])
        last = group[-1][2]
    if last < len(old):
        yield Line(kind="gap")
