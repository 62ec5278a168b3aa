"""What differs between two versions of an agent: field by field, and its instructions line by line."""

from __future__ import annotations

from dataclasses import dataclass

from agents.models import AgentVersion
from agents.rules import AREAS
from bakedbrie.lib.web import words
from bakedbrie.lib.web.diff import Line, changed_lines


@dataclass(frozen=True, kw_only=True)
class FieldChange:
    label: str
    before: str
    after: str


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
        lines=tuple(changed_lines(before.instructions, after.instructions)),
    )


def _verdict(version: AgentVersion, area: str) -> str:
    return words.VERDICTS[version.permissions.get(area, "off")]
