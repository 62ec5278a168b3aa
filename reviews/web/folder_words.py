"""What setting a work folder changes, in sentences: whether reviews begin or end, where, who decides, and Inbox/."""

from __future__ import annotations

from collections.abc import Mapping

from reviews.services.folders import ANYBODY
from reviews.states import FolderStorage, InboxMode

_INBOX: Mapping[str, str] = {
    InboxMode.ATTACH: "Files that people drop into Inbox/ of the bucket go to the card they name.",
    InboxMode.CARD: (
        "Files that people drop into Inbox/ of the bucket go to the card they name; the others become cards."
    ),
    InboxMode.OFF: "Files that people drop into Inbox/ of the bucket are left alone.",
}


def sentences_of(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Return what changes. Both are what `Shape.told` says of a work folder."""
    return [*_place(before, after), *_reviewer(before, after), *_inbox(before, after)]


def _place(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    was, becomes = _name_of(before), _name_of(after)
    if was == becomes:
        return []
    if not becomes:
        return [
            "Reviews end on this board: what agents make counts at once, and nobody is asked.",
            "What waits for a decision now still does.",
        ]
    waits = f"What agents make waits in {becomes}"
    if was:
        return [f"{waits} from now on, and no longer in {was}."]
    return ["Reviews begin on this board.", f"{waits} until a person approves it; only then it counts."]


def _name_of(shape: Mapping[str, str]) -> str:
    if shape["storage"] == FolderStorage.S3:
        return f"the bucket “{shape['destination']}” ({shape['target']})"
    return "BakedBrie storage" if shape["storage"] == FolderStorage.HOSTED else ""


def _reviewer(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Say who decides where that changes, or where deciding begins."""
    begins = not _name_of(before)
    if not _name_of(after) or (before["reviewer"] == after["reviewer"] and not begins):
        return []
    if after["reviewer"] == ANYBODY:
        return ["Anyone decides who opens the board and is no viewer."]
    return [f"{after['reviewer']} alone decides."]


def _inbox(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    if after["storage"] != FolderStorage.S3:
        return []
    return (
        [_INBOX[after["inbox"]]] if before["storage"] != FolderStorage.S3 or before["inbox"] != after["inbox"] else []
    )
