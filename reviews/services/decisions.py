"""Decisions: one function, whatever the door. What follows from one is `workflows.services.reviewing`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from bakedbrie.lib import clock
from bakedbrie.lib.refusals import INVALID_INPUT, PREVIEW_CHANGED
from boards.contents import Content
from boards.services.events import record_event
from boards.states import EventKind
from reviews.models import Decision, Review
from reviews.rules import why_not
from reviews.selectors.intents import intent_of
from reviews.selectors.standing import standing_of
from reviews.services.reviews import close, rewrite
from reviews.states import STATE_AFTER, Door, Verdict
from workspaces.access import require_writer
from workspaces.caller import Caller


@dataclass(frozen=True, kw_only=True)
class Given:
    """What somebody decided, having seen what ``intent_hash`` stands for; since ``opened_at``, where that is known."""

    verdict: Verdict
    intent_hash: str
    note: str
    door: Door
    opened_at: datetime | None = None


@transaction.atomic(savepoint=False)
def decide(
    caller: Caller, *, review: Review, contents: Sequence[Content], following: Mapping[str, Any], given: Given
) -> Decision:
    """Keep the decision on a locked review, with the board and the card locked.

    Weighed are the rights, the content and what follows as they are now: ``contents`` and ``following`` come from
    this transaction. Refuses FORBIDDEN, REVIEW_CLOSED, NOT_NAMED_REVIEWER, MAKER_CANNOT_APPROVE, INVALID_INPUT for a
    note that is missing, and PREVIEW_CHANGED when anything is not as it was shown.
    """
    require_decidable(caller, review=review, contents=contents, following=following, given=given)
    rewrite(review, contents, following)
    close(review, STATE_AFTER[given.verdict])
    decision = Decision.objects.create(
        review=review,
        decided_by=caller.member,
        decision=given.verdict,
        note=given.note,
        intent_hash=given.intent_hash,
        door=given.door,
        took_ms=_took(given.opened_at, clock.now()),
    )
    record_event(
        review.board,
        EventKind.REVIEW_DECIDED,
        actor=caller.actor,
        card=review.card,
        review=str(review.pk),
        n=review.n,
        decision=given.verdict.value,
        door=given.door.value,
        intent_hash=given.intent_hash,
    )
    return decision


def require_decidable(
    caller: Caller, *, review: Review, contents: Sequence[Content], following: Mapping[str, Any], given: Given
) -> None:
    """Refuse what `decide` would refuse of the review, the contents and what follows as they were read; keeps
    nothing."""
    require_writer(caller)
    refusal = why_not(given.verdict, standing_of(caller, review, contents))
    if refusal is not None:
        raise refusal(state=review.state)
    if given.verdict is Verdict.REQUEST_CHANGES and not given.note.strip():
        raise INVALID_INPUT(fields={"note": ["is needed by request_changes: the agent is given it"]})
    if intent_of(review, contents, following) != given.intent_hash:
        raise PREVIEW_CHANGED()


def _took(opened_at: datetime | None, now: datetime) -> int | None:
    """Return the milliseconds since somebody had it before them; a time that cannot be is not known."""
    if opened_at is None or opened_at > now:
        return None
    return (now - opened_at) // timedelta(milliseconds=1)
