"""Refusals as data: a stable code, what it means and what to do next.

A refusal is an answer, not a crash. Raise it by calling it: ``raise NOT_FOUND()`` or
``raise STAGE_NOT_EMPTY(cards=3)``. Doors catch `Refused` and render it; nobody else does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Refusal:
    """One way of saying no. ``status`` is the HTTP status; ``code`` never changes, texts may."""

    code: str
    status: int
    message: str
    fix: str = ""
    retryable: bool = False

    def __call__(self, message: str = "", *, fix: str = "", **details: object) -> Refused:
        """Make the exception to raise. ``details`` are shown to the caller: ids and counts, never a secret."""
        return Refused(self, message or self.message, fix or self.fix, details)


@dataclass(slots=True, eq=False)
class Refused(Exception):
    """Raised by services and access functions, rendered by doors."""

    refusal: Refusal
    message: str
    fix: str = ""
    details: Mapping[str, object] = field(default_factory=dict)

    @property
    def code(self) -> str:
        return self.refusal.code

    def __str__(self) -> str:
        return f"{self.refusal.code}: {self.message}"

    def body(self) -> dict[str, object]:
        """What every door shows: code, message, and fix and details when there are any."""
        body: dict[str, object] = {"code": self.refusal.code, "message": self.message}
        if self.fix:
            body["fix"] = self.fix
        if self.refusal.retryable:
            body["retryable"] = True
        return {**body, **{name: value for name, value in self.details.items() if name not in body}}


NOT_FOUND = Refusal(
    "NOT_FOUND", 404, "There is nothing here that you can open.", fix="Check the id, or ask for access to the board."
)
INVALID_INPUT = Refusal(
    "INVALID_INPUT", 400, "Some of the input is not right.", fix="Correct the fields that are named and send it again."
)
PREVIEW_CHANGED = Refusal(
    "PREVIEW_CHANGED",
    409,
    "Something changed since you looked.",
    fix="Preview again, show the user what changed, then use the new hash.",
)
REVISION_CONFLICT = Refusal(
    "REVISION_CONFLICT",
    409,
    "Somebody else changed this meanwhile.",
    fix="Read it again, then retry with the current revision.",
)
RATE_LIMITED = Refusal(
    "RATE_LIMITED", 429, "Too many calls.", fix="Wait as long as Retry-After says, then send it again.", retryable=True
)
INTERNAL_ERROR = Refusal(
    "INTERNAL_ERROR",
    500,
    "Something went wrong on our side.",
    fix="Tell the operator the request id; the log holds what happened.",
)

REFUSALS = (NOT_FOUND, INVALID_INPUT, PREVIEW_CHANGED, REVISION_CONFLICT, RATE_LIMITED, INTERNAL_ERROR)
