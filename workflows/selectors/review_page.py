"""What the pages of reviews show: what waits, and one review as it is now with who may do what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import (
    BigIntegerField,
    Case,
    Exists,
    F,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from agents.models import ModelCall
from bakedbrie.lib.refusals import Refusal
from boards.contents import Content
from boards.models import Board, Result
from reviews.models import Decision, Review, ReviewFile
from reviews.rules import why_not
from reviews.selectors.reviews import list_reviews
from reviews.selectors.standing import standing_of
from reviews.states import ReviewState, Verdict
from workflows.selectors.shown_reviews import read_review
from workspaces.caller import Caller

OPEN_SHOWN = 100


@dataclass(frozen=True, kw_only=True)
class ReviewSeen:
    """``why_not`` says by decision what stands against it for this caller, if anything. ``before`` is the result that
    was decided on last on this card. ``is_held``: the agent may not deliver what would be delivered."""

    contents: Sequence[Content]
    intent_hash: str
    following: Mapping[str, Any]
    sentences: Sequence[str]
    why_not: Mapping[str, Refusal | None]
    before: Result | None
    decision: Decision | None
    is_held: bool

    @property
    def may_decide(self) -> bool:
        return any(refusal is None for refusal in self.why_not.values())


def see_review(caller: Caller, review: Review) -> ReviewSeen:
    """Look at a review that came from `reviews.access`: an open one as it is now, a closed one as it was decided on."""
    shown = read_review(caller, review)
    standing = standing_of(caller, review, shown.contents)
    return ReviewSeen(
        contents=shown.contents,
        intent_hash=shown.intent_hash,
        following=shown.following,
        sentences=shown.sentences,
        why_not={verdict.value: why_not(verdict, standing) for verdict in Verdict},
        before=_decided_before(review),
        decision=getattr(review, "decision", None),
        is_held=shown.is_held,
    )


def waiting_reviews(caller: Caller, *, board: Board | None) -> QuerySet[Review]:
    """Return the open reviews: those whose content leaves on approval first, then what cost most, then the oldest.

    ``leaves`` is 1 or 0, ``cost`` is in micros; None where it is not known, which may be the most.
    """
    stays = _is_null("destination") & _is_null("then")
    leaves = Case(When(stays, then=Value(0)), default=Value(1), output_field=IntegerField())
    calls = ModelCall.objects.filter(turn__iteration=OuterRef("iteration")).order_by()
    sums = calls.values("turn__iteration").annotate(total=Sum("cost_micros")).values("total")
    is_unknown = Exists(calls.filter(cost_micros__isnull=True))
    known = Coalesce(Subquery(sums), 0, output_field=BigIntegerField())
    cost = Case(When(is_unknown, then=None), default=known, output_field=BigIntegerField())
    rows = list_reviews(caller, board=board, state=ReviewState.OPEN)
    rows = rows.select_related("turn__rule_run").annotate(leaves=leaves, cost=cost)
    return rows.order_by("-leaves", F("cost").desc(nulls_first=True), "pk")


def _is_null(key: str) -> Q:
    return Q(**{f"next__{key}__isnull": True}) | Q(**{f"next__{key}": None})


def _decided_before(review: Review) -> Result | None:
    files = ReviewFile.objects.filter(review__card=review.card_id, review__pk__lt=review.pk, result__isnull=False)
    last = files.filter(review__decision__isnull=False).select_related("result").order_by("-review", "n").first()
    return last.result if last else None
