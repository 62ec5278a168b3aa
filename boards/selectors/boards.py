"""Boards and their columns, with how many cards each holds. Cards in the trash do not count."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db.models import Count, QuerySet

from bakedbrie.lib.paging import Page, page
from boards.access import boards_of, in_force, workers_on
from boards.models import Board, BoardMember, Card, Stage
from workspaces.caller import Caller


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column; ``total`` counts its cards, ``cards`` holds them as far as they were asked for, in order.

    ``found`` counts those that fit a filter, and ``needing`` those of them that wait for somebody, where asked for.
    """

    stage: Stage
    total: int
    found: int = 0
    needing: int = 0
    cards: list[Card] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class BoardRow:
    board: Board
    columns: list[Column]


def list_boards(caller: Caller, *, include_archived: bool, cursor: str | None, limit: int) -> Page[BoardRow]:
    """Return the boards the caller may open, newest first: two queries, however many there are."""
    boards = boards_of(caller)
    if not include_archived:
        boards = boards.filter(archived_at__isnull=True)
    found = page(boards, cursor=cursor, limit=limit, order=("-id",))
    columns = _columns(found.items)
    rows = [BoardRow(board=board, columns=columns.get(board.pk, [])) for board in found.items]
    return Page(items=rows, next_cursor=found.next_cursor)


def columns_of(board: Board) -> list[Column]:
    """Return a board's columns in order, without their cards: one query."""
    return _columns([board]).get(board.pk, [])


def members_of_board(board: Board) -> QuerySet[BoardMember]:
    """Return who was let in; owners and admins open the board besides."""
    rows = BoardMember.objects.select_related("member__actor", "member__user")
    return in_force(rows.filter(board=board)).order_by("id")


def is_shared(board: Board) -> bool:
    """Whether more than one active member may decide on the board; viewers decide nothing (B044)."""
    return workers_on(board)[:2].count() > 1


def _columns(boards: Iterable[Board]) -> dict[uuid.UUID, list[Column]]:
    stages = Stage.objects.filter(board__in=list(boards)).annotate(total=Count("cards"))
    columns: dict[uuid.UUID, list[Column]] = {}
    for stage in stages.order_by("board", "position"):
        columns.setdefault(stage.board_id, []).append(Column(stage=stage, total=stage.total))
    return columns
