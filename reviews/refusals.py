"""What this app refuses."""

from __future__ import annotations

from bakedbrie.lib.refusals import Refusal

REVIEWER_NOT_MEMBER = Refusal(
    "REVIEWER_NOT_MEMBER",
    409,
    "This person cannot decide on the board.",
    fix="Name a member who opens the board and is no viewer, or let them in first.",
)
WORK_FOLDER_TYPE = Refusal(
    "WORK_FOLDER_TYPE",
    409,
    "A work folder is a bucket, or BakedBrie storage.",
    fix="Name a destination of kind s3, or say storage: hosted while hosted_work_folder is on.",
)
WORK_FOLDER_UNREACHABLE = Refusal(
    "WORK_FOLDER_UNREACHABLE",
    409,
    "The board's work folder cannot be looked into, so nothing was decided.",
    fix="Mend what 'reason' names, or have a board manager set another work folder; then decide again.",
    retryable=True,
)

REFUSALS = (REVIEWER_NOT_MEMBER, WORK_FOLDER_TYPE, WORK_FOLDER_UNREACHABLE)
