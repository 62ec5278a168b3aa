"""What differs between two versions of an agent: field by field, and its instructions line by line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from agents.models import AgentVersion
from agents.rules import AREAS
from bakedbrie.lib.web import words

_AROUND = 2  # unchanged lines shown beside a change


@dataclass(frozen=True, kw_only=True)
class FieldChange:
    label: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class Line:
    """``kind`` is same, gone, new, or gap for lines in between that are the same and not shown."""

    kind: str
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class Changes:
    """``lines`` is empty when the instructions are the same."""

    fields: tuple[FieldChange, ...]
    lines: tuple[Line, ...]

    @property
    def any(self) -> bool:
        return bool(self.fields or self.lines)

    @property
    def added(self) -> int:
        return sum(line.kind == "new" for line in self.lines)

    @property
    def removed(self) -> int:
        return sum(line.kind == "gone" for line in self.lines)


def changes_between(before: AgentVersion, after: AgentVersion) -> Changes:
    fields = [
        FieldChange(label="Name", before=before.name, after=after.name),
        FieldChange(label="Turns in one round", before=str(before.max_turns), after=str(after.max_turns)),
        *(
            FieldChange(label=words.AREAS[area][0], before=_verdict(before, area), after=_verdict(after, area))
            for area in AREAS
        ),
    ]
    return Changes(
        fields=tuple(field for field in fields if field.before != field.after),
        lines=tuple(_changed_lines(before.instructions, after.instructions)),
    )


def _verdict(version: AgentVersion, area: str) -> str:
    return words.VERDICTS[version.permissions.get(area, "off")]


def _changed_lines(before: str, after: str) -> Iterator[Line]:
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
