"""What this app refuses."""

from __future__ import annotations

from bakedbrie.lib.refusals import Refusal

MAKER_CANNOT_APPROVE = Refusal(
    "MAKER_CANNOT_APPROVE",
    403,
    "Whoever made something on a shared board does not approve it.",
    fix=(
        "Ask somebody else who opens the board to decide; where it names you as its only reviewer, a board manager "
        "names another with set_work_folder. You may still request changes or reject it."
    ),
)
NOT_NAMED_REVIEWER = Refusal(
    "NOT_NAMED_REVIEWER",
    403,
    "This board names one reviewer, and that is somebody else.",
    fix="Ask that person to decide, or a board manager to name another reviewer with set_work_folder.",
)
REVIEW_CLOSED = Refusal(
    "REVIEW_CLOSED",
    409,
    "Nobody can decide on this review any more.",
    fix="Read it with get_review: its state says what became of it.",
)
REVIEWS_DIFFER = Refusal(
    "REVIEWS_DIFFER",
    409,
    "These reviews are not alike, so they are not approved in one go.",
    fix="Approve together only what a page of BakedBrie shows together; decide the others each by itself.",
)
REVIEW_NOT_LOOKED_AT = Refusal(
    "REVIEW_NOT_LOOKED_AT",
    409,
    "Looking into the work folder took too long for all of them, so nothing was decided on this one.",
    fix="Try again: decide on it by itself, or tick it once more with what is left.",
    retryable=True,
)
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

REFUSALS = (
    MAKER_CANNOT_APPROVE,
    NOT_NAMED_REVIEWER,
    REVIEW_CLOSED,
    REVIEWS_DIFFER,
    REVIEW_NOT_LOOKED_AT,
    REVIEWER_NOT_MEMBER,
    WORK_FOLDER_TYPE,
    WORK_FOLDER_UNREACHABLE,
)
