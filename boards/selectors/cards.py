"""Cards in lists and columns, and one card with what is on it. The number of queries never depends on the rows."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Count, F, OuterRef, QuerySet, Subquery, Window
from django.db.models.functions import Coalesce, RowNumber

from bakedbrie.lib import ids
from bakedbrie.lib.paging import Page, page
from boards.access import cards_of, get_board, get_stage
from boards.inputs import ListCardsIn
from boards.models import Board, Card, CardFile, Comment, Iteration, Result
from boards.selectors.boards import Column, columns_of
from workspaces.access import require_capability
from workspaces.caller import Caller

CARDS_SHOWN = 50
COMMENTS_SHOWN = 50
ROUNDS_SHOWN = 20
RESULTS_SHOWN = 10


@dataclass(frozen=True, kw_only=True)
class CardParts:
    """What is on a card: the newest comments in the order they were written, the newest rounds and results first."""

    comments: list[Comment]
    comments_total: int
    files: list[CardFile]
    rounds: list[Iteration]
    results: list[Result]


def list_cards(caller: Caller, given: ListCardsIn) -> Page[Card]:
    """Return cards on boards the caller may open, or in their trash: a column's in its order, else newest first.

    Archived boards are left out unless one is asked for.
    """
    cards = cards_of(caller).filter(trashed_at__isnull=not given.in_trash).select_related("owner", "place")
    order: tuple[str, ...] = ("-id",)
    if given.board_id is not None:
        cards = cards.filter(board=get_board(caller, given.board_id))
    if given.stage_id is not None:
        stage = get_stage(caller, given.stage_id)
        cards = cards.filter(stage=stage, place__stage=stage)
        order = ("place__position", "id")
    if given.board_id is None and given.stage_id is None:
        cards = cards.filter(board__archived_at__isnull=True)
    if given.owner is not None:
        cards = cards.filter(owner=ids.parse_id(given.owner))
    if given.state is not None:
        cards = cards.filter(badge=given.state)
    return page(cards, cursor=given.cursor, limit=given.limit, order=order)


def columns_with_cards(board: Board, *, most: int = CARDS_SHOWN) -> list[Column]:
    """Return the columns with the first ``most`` cards of each, and how many files and comments those hold."""
    rank = Window(RowNumber(), partition_by=F("stage"), order_by="place__position")
    cards = (
        Card.objects.filter(board=board, stage__isnull=False)
        .select_related("owner")
        .annotate(
            rank=rank,
            file_count=_count_of(CardFile.objects.filter(removed_at__isnull=True)),
            comment_count=_count_of(Comment.objects.all()),
        )
    )
    held: dict[uuid.UUID | None, list[Card]] = {}
    for card in cards.filter(rank__lte=most).order_by("rank"):
        held.setdefault(card.stage_id, []).append(card)
    return [replace(column, cards=held.get(column.stage.pk, [])) for column in columns_of(board)]


def comments_of(card: Card) -> QuerySet[Comment]:
    """Return all comments with their authors, in no order yet."""
    return Comment.objects.filter(card=card).select_related("author")


def list_comments(card: Card, *, cursor: str | None, limit: int) -> Page[Comment]:
    """Return one page of comments, newest first: one query."""
    return page(comments_of(card), cursor=cursor, limit=limit, order=("-id",))


def files_of(caller: Caller, card: Card) -> QuerySet[CardFile]:
    """Return the files of a card that were not removed, in the order they came, while files are on."""
    require_capability(caller, "media")
    files = CardFile.objects.filter(card=card, removed_at__isnull=True).select_related("added_by")
    return files.order_by("id")


def neighbours_of(file: CardFile) -> tuple[CardFile | None, CardFile | None]:
    """Return the files before and after one that came from access, in the order of its card: two queries."""
    files = CardFile.objects.filter(card=file.card_id, removed_at__isnull=True)
    before = files.filter(pk__lt=file.pk).order_by("-pk").first()
    return before, files.filter(pk__gt=file.pk).order_by("pk").first()


def latest_result(card: Card) -> Result | None:
    """Return the card's result."""
    return results_of(card).first()


def card_parts(caller: Caller, card: Card) -> CardParts:
    """Return what is on a card: five queries. While the capability media is off it shows no files."""
    comments = comments_of(card)
    return CardParts(
        comments=list(comments.order_by("-id")[:COMMENTS_SHOWN])[::-1],
        comments_total=comments.count(),
        files=list(files_of(caller, card)) if "media" in caller.capabilities else [],
        rounds=list(rounds_of(card)[:ROUNDS_SHOWN]),
        results=list(results_of(card)[:RESULTS_SHOWN]),
    )


def rounds_of(card: Card) -> QuerySet[Iteration]:
    """Return the rounds of work, the newest first, with who started them."""
    return Iteration.objects.filter(card=card).select_related("started_by").order_by("-n")


def results_of(card: Card) -> QuerySet[Result]:
    """Return what agents finished, the newest first, with who made it in which round."""
    return Result.objects.filter(card=card).select_related("made_by", "iteration").order_by("-id")


def _count_of(rows: QuerySet[Any]) -> Coalesce:
    """Count the rows of each card in a query of their own: joined, files and comments would multiply each other."""
    counts = rows.filter(card=OuterRef("pk")).order_by().values("card").annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counts), 0)
