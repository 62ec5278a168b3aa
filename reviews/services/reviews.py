"""Reviews until somebody decides: opened, told of other content, closed without a decision."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from agents.models import Turn
from bakedbrie.lib import clock
from boards.contents import Content
from boards.models import Card
from boards.services.cards import set_badge
from boards.services.events import record_event
from boards.states import Badge, EventKind
from reviews.access import lock_review
from reviews.models import Review, ReviewFile
from reviews.selectors.intents import intent_of
from reviews.selectors.reviews import open_review_of
from reviews.services.folder_files import advance
from reviews.services.notices import ring_for_notice
from reviews.states import ReviewState
from workspaces.models import Actor

logger = logging.getLogger(__name__)


@transaction.atomic(savepoint=False)
def open_review(turn: Turn, *, card: Card, contents: Sequence[Content], following: Mapping[str, Any]) -> Review:
    """Let what a turn left on a locked card wait for a person; ``following`` is what an approval leads to."""
    iteration = turn.iteration
    review = Review(
        board=card.board,
        card=card,
        iteration=iteration,
        turn=turn,
        maker=iteration.started_by,
        n=iteration.n,
        next=dict(following),
    )
    review.intent_hash = intent_of(review, contents, following)
    review.save(force_insert=True)
    write_files(review, contents)
    record_event(
        card.board,
        EventKind.REVIEW_OPENED,
        actor=turn.agent.actor,
        card=card,
        review=str(review.pk),
        n=review.n,
        files=len(contents),
        intent_hash=review.intent_hash,
    )
    set_badge(card, Badge.IN_REVIEW)
    ring_for_notice(review)
    logger.info("Review opened", extra={"review": review.pk, "card": card.pk})
    return review


@transaction.atomic
def replace_contents(review: Review, contents: Sequence[Content]) -> Review:
    """Write down that an open review is about something else by now, under a new hash; the card is locked.

    What was shown before is refused from then on.
    """
    locked = lock_review(review)
    if locked.is_open:
        rewrite(locked, contents, locked.next)
    return locked


def rewrite(review: Review, contents: Sequence[Content], following: Mapping[str, Any]) -> None:
    """Write down what a locked review is about now, and what follows an approval."""
    review.intent_hash, review.next = intent_of(review, contents, following), dict(following)
    review.save(update_fields=["intent_hash", "next", "updated_at"])
    ReviewFile.objects.filter(review=review).delete()
    write_files(review, contents)


def write_files(review: Review, contents: Sequence[Content]) -> None:
    """Write one row for each thing that is reviewed."""
    ReviewFile.objects.bulk_create(
        ReviewFile(
            review=review,
            n=n,
            name=content.name,
            media_type=content.media_type,
            bytes=content.bytes,
            sha256=content.sha256,
            result=content.result,
            file=content.file,
        )
        for n, content in enumerate(contents, start=1)
    )


@transaction.atomic(savepoint=False)
def cancel_review(actor: Actor, *, card: Card, code: str) -> Review | None:
    """Close the open review of a locked card without a decision, or return None when there is none.

    What the card shows then is for whoever takes it from its review.
    """
    found = open_review_of(card)
    if found is None:
        return None
    review = lock_review(found)
    if not review.is_open:
        return None
    close(review, ReviewState.CANCELED, code=code)
    advance(review, None)
    record_event(
        card.board, EventKind.REVIEW_CANCELED, actor=actor, card=card, review=str(review.pk), n=review.n, code=code
    )
    return review


def close(review: Review, state: ReviewState, *, code: str = "") -> None:
    """Bring a locked review that is open to its end."""
    review.state, review.closed_at, review.code = state, clock.now(), code
    review.save(update_fields=["state", "closed_at", "code", "updated_at"])
    logger.info("Review closed", extra={"review": review.pk, "state": state.value})
