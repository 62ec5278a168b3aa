"""States of work folders and of the files in them."""

from __future__ import annotations

from enum import StrEnum


class FolderStorage(StrEnum):
    """Where a work folder lies: in a bucket of the user's own, in BakedBrie storage, or nowhere any more."""

    S3 = "s3"
    HOSTED = "hosted"
    NONE = "none"


class InboxMode(StrEnum):
    """What becomes of a file that people drop into Inbox/ of a bucket.

    ``attach`` puts it on the card that its folder or name tells; ``card`` also makes a card for one that tells none;
    ``off`` leaves it alone.
    """

    ATTACH = "attach"
    CARD = "card"
    OFF = "off"


class FolderArea(StrEnum):
    """The four folders inside a work folder."""

    INBOX = "inbox"
    NEEDS_REVIEW = "needs_review"
    APPROVED = "approved"
    DONE = "done"


class Phase(StrEnum):
    """What one step does: make the four folders, write a file to its new place, read it back, remove the old one."""

    MARK = "mark"
    COPY = "copy"
    VERIFY = "verify"
    REMOVE = "remove"


class FolderCode(StrEnum):
    """What happened to a file of a work folder; shown, never raised."""

    OK = "OK"
    ALREADY_THERE = "ALREADY_THERE"
    ABSENT = "ABSENT"
    DIFFERS = "DIFFERS"
    NOT_TEXT = "NOT_TEXT"
    FILE_TOO_LARGE = "FILE_TOO_LARGE"
    FILE_EMPTY = "FILE_EMPTY"
    NAME_UNSAFE = "NAME_UNSAFE"
    NAMES_NO_CARD = "NAMES_NO_CARD"
    MEMBER_REMOVED = "MEMBER_REMOVED"
    NOT_READ_NOW = "NOT_READ_NOW"
    CONTENT_GONE = "CONTENT_GONE"
    OUTCOME_UNKNOWN = "OUTCOME_UNKNOWN"
    STORAGE_UNAVAILABLE = "STORAGE_UNAVAILABLE"
    STORAGE_QUOTA_EXCEEDED = "STORAGE_QUOTA_EXCEEDED"


class ReviewState(StrEnum):
    """A review is open until somebody decides, or until what it is about is taken from it."""

    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"
    CHANGES_REQUESTED = "changes_requested"
    CANCELED = "canceled"


class Verdict(StrEnum):
    """What a person decides."""

    APPROVE = "approve"
    REJECT = "reject"
    REQUEST_CHANGES = "request_changes"


class Door(StrEnum):
    """Through which door a decision came."""

    WEB = "web"
    MCP = "mcp"
    REST = "rest"


STATE_AFTER = {
    Verdict.APPROVE: ReviewState.APPROVED,
    Verdict.REJECT: ReviewState.REJECTED,
    Verdict.REQUEST_CHANGES: ReviewState.CHANGES_REQUESTED,
}
