"""What came of the work: finished cards page by page, receipts, approved files, and what is still open."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Window
from django.db.models.functions import Left, RowNumber

from bakedbrie.lib.paging import page
from boards.access import boards_of, get_board
from boards.models import Board, Card, CardFile, Result
from boards.states import FileOrigin, StageRole
from destinations.models import Delivery
from destinations.receipts import message_of
from destinations.selectors.deliveries import with_steps
from destinations.states import DeliveryState
from reviews.access import reviews_of
from reviews.models import Review, ReviewFile
from reviews.states import ReviewState
from workflows.inputs import ListResultsIn
from workflows.selectors.asks import address_of, code_of_question, open_asks_of, question_in_words
from workspaces.caller import Caller

SUMMARY_CHARACTERS = 500
FILES_SHOWN = 20
RECEIPTS_SHOWN = 5
FOLLOWUPS_SHOWN = 50
_TROUBLE = (DeliveryState.FAILED, DeliveryState.UNKNOWN)
_REVIEW_WAITS = "What the agent made waits for a decision."


@dataclass(frozen=True, kw_only=True)
class Finished:
    """A card in Done. ``result``, where there is one, comes with its ``beginning`` alone; ``files`` are the first of
    ``files_total``."""

    card: Card
    result: Any
    files: Sequence[CardFile]
    files_total: int


@dataclass(frozen=True, kw_only=True)
class FollowUp:
    """Something that is open after the work: a delivery, a review or a question, and the page where it goes on."""

    kind: str
    pk: uuid.UUID
    card: Card
    code: str
    text: str
    since: datetime
    url: str


@dataclass(frozen=True, kw_only=True)
class Results:
    """``followups`` are of all boards asked for, and come with the first page alone; the oldest come first."""

    cards: Sequence[Finished]
    receipts: Sequence[Delivery]
    approved_files: Sequence[ReviewFile]
    followups: Sequence[FollowUp]
    are_more_followups: bool
    next_cursor: str | None


def list_results(caller: Caller, given: ListResultsIn) -> Results:
    """Read one page of finished cards, the newest cards first, with all that belongs to them: at most ten queries.

    Archived boards are left out unless one is asked for. What is behind a capability that is off is left empty.
    """
    boards = _boards(caller, given.board_id)
    done = Card.objects.filter(board__in=boards, stage__role=StageRole.DONE).select_related("board")
    found = page(done, cursor=given.cursor, limit=given.limit, order=("-id",))
    followups = _followups(caller, boards) if given.cursor is None else []
    return Results(
        cards=_finished(caller, found.items),
        receipts=list(_receipts(found.items)),
        approved_files=list(_approved(found.items)) if "reviews" in caller.capabilities else [],
        followups=followups[:FOLLOWUPS_SHOWN],
        are_more_followups=len(followups) > FOLLOWUPS_SHOWN,
        next_cursor=found.next_cursor,
    )


def _boards(caller: Caller, board_id: str | None) -> QuerySet[Board]:
    if board_id is None:
        return boards_of(caller).filter(archived_at=None)
    return boards_of(caller).filter(pk=get_board(caller, board_id).pk)


def _finished(caller: Caller, cards: Sequence[Card]) -> list[Finished]:
    newest = Result.objects.filter(card__in=cards).order_by("card", "-pk").distinct("card")
    short = newest.defer("markdown").annotate(beginning=Left("markdown", SUMMARY_CHARACTERS + 1))
    results: dict[uuid.UUID, Any] = {result.card_id: result for result in short.select_related("made_by", "iteration")}
    files: dict[uuid.UUID, list[Any]] = {}
    if "media" in caller.capabilities:
        made = CardFile.objects.filter(card__in=cards, origin=FileOrigin.MADE, removed_at__isnull=True)
        total = Window(Count("pk"), partition_by="card")
        for file in _first_of_each(made.annotate(total=total), "card", "pk", FILES_SHOWN):
            files.setdefault(file.card_id, []).append(file)
    return [
        Finished(
            card=card,
            result=results.get(card.pk),
            files=files.get(card.pk, []),
            files_total=files[card.pk][0].total if card.pk in files else 0,
        )
        for card in cards
    ]


def _receipts(cards: Sequence[Card]) -> QuerySet[Delivery]:
    newest = _first_of_each(Delivery.objects.filter(card__in=cards), "card", "-pk", RECEIPTS_SHOWN)
    return with_steps(newest).order_by("-card", "-pk")


def _approved(cards: Sequence[Card]) -> QuerySet[ReviewFile]:
    """Return what the newest approval of each card was about."""
    newest = Review.objects.filter(card__in=cards, state=ReviewState.APPROVED).order_by("card", "-pk").distinct("card")
    files = _first_of_each(ReviewFile.objects.filter(review__in=newest.values("pk")), "review", "n", FILES_SHOWN)
    return files.select_related("review__decision__decided_by__actor", "file").order_by("-review__card", "n")


def _first_of_each(rows: QuerySet[Any], of: str, order: str, most: int) -> QuerySet[Any]:
    rank = Window(RowNumber(), partition_by=F(of), order_by=order)
    first: QuerySet[Any] = rows.annotate(rank=rank).filter(rank__lte=most).order_by(order)
    return first


def _followups(caller: Caller, boards: QuerySet[Board]) -> list[FollowUp]:
    """Return the oldest of what is open, and one more than is shown where there are more."""
    open_ones = _deliveries(boards)
    if "reviews" in caller.capabilities:
        open_ones += _reviews(caller, boards)
    if "agents" in caller.capabilities:
        open_ones += _questions(caller, boards)
    return sorted(open_ones, key=lambda one: (one.since, one.pk))[: FOLLOWUPS_SHOWN + 1]


def _deliveries(boards: QuerySet[Board]) -> list[FollowUp]:
    """Return the deliveries of cards in Done that went wrong, but for those that a newer one came after."""
    newer = Delivery.objects.filter(card=OuterRef("card"), pk__gt=OuterRef("pk"))
    wrong = Delivery.objects.filter(~Exists(newer), state__in=_TROUBLE, card__stage__role=StageRole.DONE)
    wrong = wrong.filter(card__board__in=boards).select_related("card")
    return [
        FollowUp(
            kind="delivery",
            pk=one.pk,
            card=one.card,
            code=one.code or one.state.upper(),
            text=message_of(one.code),
            since=one.finished_at or one.created_at,
            url=address_of("cards", one.card_id),
        )
        for one in wrong.order_by("pk")[: FOLLOWUPS_SHOWN + 1]
    ]


def _reviews(caller: Caller, boards: QuerySet[Board]) -> list[FollowUp]:
    waiting = reviews_of(caller).filter(board__in=boards, state=ReviewState.OPEN).select_related("card")
    return [
        FollowUp(
            kind="review",
            pk=one.pk,
            card=one.card,
            code="",
            text=_REVIEW_WAITS,
            since=one.opened_at,
            url=address_of("reviews", one.pk),
        )
        for one in waiting.order_by("pk")[: FOLLOWUPS_SHOWN + 1]
    ]


def _questions(caller: Caller, boards: QuerySet[Board]) -> list[FollowUp]:
    waiting = open_asks_of(caller).filter(card__board__in=boards)
    return [
        FollowUp(
            kind="question",
            pk=one.pk,
            card=one.card,
            code=code_of_question(one),
            text=question_in_words(one),
            since=one.created_at,
            url=address_of("approvals", one.pk),
        )
        for one in waiting.order_by("pk")[: FOLLOWUPS_SHOWN + 1]
    ]
