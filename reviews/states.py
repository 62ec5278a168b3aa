"""States of work folders and of the files in them."""

from __future__ import annotations

from enum import StrEnum


class FolderStorage(StrEnum):
    """Where a work folder lies: in a bucket of the user's own, or in BakedBrie storage."""

    S3 = "s3"
    HOSTED = "hosted"


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
