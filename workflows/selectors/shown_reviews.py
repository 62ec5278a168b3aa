"""One review as a person is to see it before deciding: the content, what follows, and the hash of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from boards.contents import Content, round_contents
from reviews.models import Review
from reviews.rules import why_not
from reviews.selectors.intents import intent_of
from reviews.selectors.reviews import contents_of
from reviews.selectors.standing import standing_of
from reviews.states import Verdict
from workflows.selectors.plans import plan_of
from workspaces.access import require_reader
from workspaces.caller import Caller


@dataclass(frozen=True, kw_only=True)
class ShownReview:
    """``cannot_approve`` is the code that stands against the caller's approval, as far as roles and rules go.

    ``is_held``: the agent may not deliver what would be delivered. ``following`` is what an approval of an open one
    leads to, as ids.
    """

    review: Review
    contents: Sequence[Content]
    intent_hash: str
    sentences: Sequence[str]
    cannot_approve: str
    is_held: bool = False
    following: Mapping[str, Any] = field(default_factory=dict)


def read_review(caller: Caller, review: Review) -> ShownReview:
    """Look at a review that came from `reviews.access`: an open one as it is now, another as it was decided."""
    require_reader(caller)
    if not review.is_open:
        contents = contents_of(review)
        return ShownReview(
            review=review,
            contents=contents,
            intent_hash=review.intent_hash,
            sentences=(),
            cannot_approve=_code(caller, review, contents),
        )
    contents = round_contents(review.card, review.iteration)
    plan = plan_of(caller, review, contents)
    return ShownReview(
        review=review,
        contents=contents,
        intent_hash=intent_of(review, contents, plan.following),
        sentences=plan.sentences,
        is_held=plan.is_held,
        cannot_approve=_code(caller, review, contents),
        following=plan.following,
    )


def cannot_approve(caller: Caller, review: Review) -> str:
    """Return the code that stands against the caller's approval of an open review that came from `reviews.access`."""
    return _code(caller, review, round_contents(review.card, review.iteration))


def _code(caller: Caller, review: Review, contents: Sequence[Content]) -> str:
    refusal = why_not(Verdict.APPROVE, standing_of(caller, review, contents))
    return refusal.code if refusal else ""
