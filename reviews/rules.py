"""Who may decide, and what is to be done with a file of a work folder next: plain data, no rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from bakedbrie.lib.refusals import Refusal
from reviews.refusals import MAKER_CANNOT_APPROVE, NOT_NAMED_REVIEWER, REVIEW_CLOSED
from reviews.states import FolderArea, FolderStorage, Phase, Verdict

AREA_NAMES: dict[FolderArea, str] = {
    FolderArea.INBOX: "Inbox",
    FolderArea.NEEDS_REVIEW: "Needs review",
    FolderArea.APPROVED: "Approved",
    FolderArea.DONE: "Done",
}
HOSTED_TOP = "folders"  # of our own storage
_ANY_KEY = "*"
_FIRST_PAUSE = timedelta(seconds=30)
_LONGEST_PAUSE = timedelta(hours=1)


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where the bytes of a file are, as its row says: see `reviews.models.FolderFile`."""

    key: str
    copying_to: str
    stale_key: str
    is_unwanted: bool


@dataclass(frozen=True, kw_only=True)
class Work:
    phase: Phase
    key: str


def next_work(place: Place, target: str) -> Work | None:
    """Return what comes next for a file that should be at ``target``, or None when it is there, or gone as it should.

    First a copy that may have arrived is read back, then old bytes go: so the bytes are always at one place at least,
    and two copies never stay.
    """
    if place.copying_to:
        return Work(phase=Phase.VERIFY, key=place.copying_to)
    if place.stale_key:
        return Work(phase=Phase.REMOVE, key=place.stale_key)
    if place.is_unwanted:
        return Work(phase=Phase.REMOVE, key=place.key) if place.key else None
    return None if place.key == target else Work(phase=Phase.COPY, key=target)


def next_intake(key: str, stale_key: str) -> Work | None:
    """Return what comes next for a file in Inbox/: it is taken, then removed there."""
    if stale_key:
        return Work(phase=Phase.REMOVE, key=stale_key)
    return Work(phase=Phase.COPY, key=key) if key else None


def target_of(storage: FolderStorage, area: FolderArea, path: str, key: str) -> str:
    """Return where a file should be: in a bucket the name tells, in our own storage any key will do."""
    return key or _ANY_KEY if storage is FolderStorage.HOSTED else f"{AREA_NAMES[area]}/{path}"


def pause_after(tries: int) -> timedelta:
    """Return how long to wait after so many tries in a row that went wrong."""
    return min(_LONGEST_PAUSE, _FIRST_PAUSE * (1 << min(tries, 10)))


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What is weighed for somebody who opens the board and may write there, as it is at this moment.

    ``is_maker``: they started the round, or some of its content is theirs. ``is_other_named``: the board names one
    reviewer, who may still work there, and it is somebody else.
    """

    is_open: bool
    is_shared: bool
    is_maker: bool
    is_other_named: bool


def why_not(verdict: Verdict, standing: Standing) -> Refusal | None:
    """Return what stands against this decision of theirs, or None. Every door asks here and nowhere else."""
    if not standing.is_open:
        return REVIEW_CLOSED
    if standing.is_other_named:
        return NOT_NAMED_REVIEWER
    if verdict is Verdict.APPROVE and standing.is_maker and standing.is_shared:
        return MAKER_CANNOT_APPROVE
    return None
