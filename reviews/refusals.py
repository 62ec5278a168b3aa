"""What this app refuses."""

from __future__ import annotations

from bakedbrie.lib.refusals import Refusal

REVIEWER_NOT_MEMBER = Refusal(
    "REVIEWER_NOT_MEMBER",
    409,
    "This person cannot decide on the board.",
    fix="Name a member who opens the board and is no viewer, or let them in first.",
)

REFUSALS = (REVIEWER_NOT_MEMBER,)
