"""One thing that the doctor found. Its id never changes; its words may."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum

SETTINGS = "SETTINGS"


class State(StrEnum):
    OK = "ok"
    NOTE = "note"  # worth knowing; nothing is broken
    WRONG = "wrong"
    SKIPPED = "skipped"  # could not be looked at, because of another finding


@dataclass(frozen=True, kw_only=True)
class Finding:
    """``fix`` says what to do; empty where nothing is to be done."""

    id: str
    state: State
    says: str
    fix: str = ""


def ok(id: str, says: str) -> Finding:
    return Finding(id=id, state=State.OK, says=says)


def note(id: str, says: str, fix: str) -> Finding:
    return Finding(id=id, state=State.NOTE, says=says, fix=fix)


def wrong(id: str, says: str, fix: str) -> Finding:
    return Finding(id=id, state=State.WRONG, says=says, fix=fix)


def skipped(id: str, because: str) -> Finding:
    return Finding(id=id, state=State.SKIPPED, says=f"Not looked at: {because}.")


def is_well(findings: Iterable[Finding]) -> bool:
    return all(finding.state is not State.WRONG for finding in findings)


def as_json(findings: list[Finding]) -> dict[str, object]:
    return {"ok": is_well(findings), "findings": [asdict(finding) for finding in findings]}


def as_lines(findings: list[Finding]) -> list[str]:
    lines = []
    for finding in findings:
        lines.append(f"{finding.state.value:<8} {finding.id:<18} {finding.says}")
        if finding.fix:
            lines.append(f"{'':<27} To mend it: {finding.fix}")
    count = sum(finding.state is State.WRONG for finding in findings)
    lines.append("")
    lines.append("All is well." if not count else f"{count} of {len(findings)} things are wrong.")
    return lines
