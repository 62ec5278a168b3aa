"""The history of a card in parts, so that one finds what one looks for: what was decided, done, said, or added."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from bakedbrie.lib.paging import Page, page
from boards.models import BoardEvent, Card
from boards.states import EventKind


class Part(StrEnum):
    """What an event is about. Its value stands in the address of the page."""

    DECISIONS = "decisions"
    AGENTS = "agents"
    COMMENTS = "comments"
    FILES = "files"


# Every kind of event that a card's history can hold. What has no line here shows under "all" alone.
PART_OF: Mapping[EventKind, Part] = {
    **dict.fromkeys(
        (
            EventKind.CARD_CREATED,
            EventKind.CARD_EDITED,
            EventKind.CARD_MOVED,
            EventKind.CARD_TRASHED,
            EventKind.CARD_RESTORED,
            EventKind.CARD_BLOCKED,
            EventKind.REVIEW_OPENED,
            EventKind.REVIEW_DECIDED,
            EventKind.REVIEW_CANCELED,
            EventKind.APPROVAL_ASKED,
            EventKind.APPROVAL_ANSWERED,
            EventKind.DELIVERY_QUEUED,
            EventKind.DELIVERED,
            EventKind.DELIVERY_FAILED,
        ),
        Part.DECISIONS,
    ),
    **dict.fromkeys(
        (
            EventKind.ROUND_STARTED,
            EventKind.TURN_QUEUED,
            EventKind.TURN_WAITING,
            EventKind.TURN_STARTED,
            EventKind.TURN_ENDED,
            EventKind.TURN_STOPPED,
            EventKind.RESULT_KEPT,
        ),
        Part.AGENTS,
    ),
    EventKind.COMMENT_ADDED: Part.COMMENTS,
    EventKind.FILE_ADDED: Part.FILES,
    EventKind.FILE_REMOVED: Part.FILES,
    EventKind.FOLDER_FILE_TAKEN: Part.FILES,
}


def part_of(event: BoardEvent) -> Part | None:
    return PART_OF.get(EventKind(event.kind))


def history_of(card: Card, *, part: Part | None, cursor: str | None, limit: int) -> Page[BoardEvent]:
    """Return one page, the newest first, of one part or of all: one query."""
    events = BoardEvent.objects.filter(card=card).select_related("actor")
    if part is not None:
        events = events.filter(kind__in=[kind for kind, its in PART_OF.items() if its is part])
    return page(events, cursor=cursor, limit=limit, order=("-id",))


def last_edit(card: Card) -> BoardEvent | None:
    """Return the newest change of title, brief or owner, with who made it."""
    edits = BoardEvent.objects.filter(card=card, kind=EventKind.CARD_EDITED).select_related("actor")
    return edits.order_by("-pk").first()
