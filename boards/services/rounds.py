"""Rounds of work, and the results they leave on the card."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Max

from bakedbrie.lib import hashing
from boards.access import lock_card
from boards.models import Card, Iteration, Result
from boards.services.events import record_event
from boards.states import EventKind
from workspaces.access import require_writer
from workspaces.caller import Caller
from workspaces.models import Actor


@transaction.atomic
def start_round(caller: Caller, *, card: Card, started_by: Actor | None = None) -> Iteration:
    """Begin the card's next round; its maker is ``started_by``, else the caller."""
    require_writer(caller)
    card = lock_card(card)
    last = card.iterations.aggregate(n=Max("n"))["n"] or 0
    iteration = Iteration.objects.create(card=card, n=last + 1, started_by=started_by or caller.actor)
    record_event(card.board, EventKind.ROUND_STARTED, actor=caller.actor, card=card, n=iteration.n)
    return iteration


@transaction.atomic(savepoint=False)
def keep_result(*, card: Card, iteration: Iteration, made_by: Actor, markdown: str) -> Result:
    """Keep what a turn wrote; the newest result is the card's."""
    result = Result.objects.create(
        card=card, iteration=iteration, made_by=made_by, markdown=markdown, sha256=hashing.text_hash(markdown)
    )
    record_event(
        card.board,
        EventKind.RESULT_KEPT,
        actor=made_by,
        card=card,
        result=str(result.pk),
        n=iteration.n,
        sha256=result.sha256,
    )
    return result
