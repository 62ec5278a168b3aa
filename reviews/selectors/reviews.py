"""Reviews to list and to read: a constant number of queries, however many there are."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import timedelta

from django.db.models import Prefetch, QuerySet

from bakedbrie.lib import clock
from boards.contents import Content, content_of
from boards.models import Board, Card
from reviews.access import reviews_of
from reviews.models import Decision, Review, ReviewFile
from reviews.states import ReviewState
from workspaces.caller import Caller
from workspaces.models import Workspace

QUICK = timedelta(seconds=3)
LOOKED_BACK = timedelta(days=7)

_PARTS = ("board", "card__stage", "maker", "turn__agent", "decision__decided_by__actor")


def list_reviews(caller: Caller, *, board: Board | None = None, state: str = ReviewState.OPEN) -> QuerySet[Review]:
    """Return the reviews in one state on the boards the caller may open, with all that a list shows of them."""
    reviews = reviews_of(caller).filter(state=state)
    if board is not None:
        reviews = reviews.filter(board=board)
    return reviews.select_related(*_PARTS).prefetch_related(Prefetch("files", ReviewFile.objects.order_by("n")))


def open_review_of(card: Card) -> Review | None:
    """Return the review that a card waits in."""
    return Review.objects.filter(card=card, state=ReviewState.OPEN).first()


def open_reviews_of(cards: Iterable[Card]) -> dict[uuid.UUID, uuid.UUID]:
    """Return the open review of each of these cards that has one, by their ids; one query."""
    rows = Review.objects.filter(card__in=[card.pk for card in cards], state=ReviewState.OPEN)
    return dict(rows.values_list("card", "pk"))


def newest_decision(card_id: uuid.UUID) -> Decision | None:
    """Return the last decision on a card, with its review and round."""
    decisions = Decision.objects.select_related("review__iteration", "decided_by__actor")
    return decisions.filter(review__card=card_id).order_by("-pk").first()


def notes_of(review_ids: Iterable[object]) -> dict[str, str]:
    """Return what was written to the decisions on these reviews, by their ids as texts; a query where there are any."""
    asked = [str(review_id) for review_id in review_ids]
    rows = Decision.objects.filter(review__in=asked).exclude(note="") if asked else Decision.objects.none()
    return {str(review_id): note for review_id, note in rows.values_list("review", "note")}


def contents_of(review: Review) -> list[Content]:
    """Return what a review was about when it was last written down: for one that is closed, what was decided on."""
    rows = ReviewFile.objects.select_related("result", "file").filter(review=review).order_by("n")
    return [content_of(row) for row in rows]


def quick_decisions(workspace: Workspace) -> tuple[int, int]:
    """Return how many decisions of the last week took under three seconds, and how many took a known time."""
    since = clock.now() - LOOKED_BACK
    timed = Decision.objects.filter(review__board__workspace=workspace, created_at__gte=since, took_ms__isnull=False)
    return timed.filter(took_ms__lt=QUICK / timedelta(milliseconds=1)).count(), timed.count()


def approved_in(card: Card, iteration_id: uuid.UUID) -> QuerySet[Review]:
    """Return the approved reviews of one round of a card."""
    return Review.objects.filter(card=card, iteration=iteration_id, state=ReviewState.APPROVED)
