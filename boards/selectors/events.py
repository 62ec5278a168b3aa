"""The history of a card and of a board, newest first."""

from __future__ import annotations

from bakedbrie.lib.paging import Page, page
from boards.models import Board, BoardEvent, Card


def card_history(card: Card, *, cursor: str | None, limit: int) -> Page[BoardEvent]:
    """Return one page: one query."""
    events = BoardEvent.objects.filter(card=card).select_related("actor")
    return page(events, cursor=cursor, limit=limit, order=("-id",))


def board_history(board: Board, *, cursor: str | None, limit: int) -> Page[BoardEvent]:
    """Return one page, with the events of its cards: one query."""
    events = BoardEvent.objects.filter(board=board).select_related("actor")
    return page(events, cursor=cursor, limit=limit, order=("-id",))
