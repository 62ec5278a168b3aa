"""Picking a queued turn up: counted before anything on the card is read.

A card that kills its worker would otherwise ring for ever. The count lives in the row, outside the worker that dies.
"""

from __future__ import annotations

import logging
import uuid
from datetime import timedelta

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from agents.access import find_queued
from agents.models import Turn
from agents.services.attempts import Obstacle, put_aside
from agents.states import TurnState
from bakedbrie.lib import clock, once

logger = logging.getLogger(__name__)

MOST_PICKUPS = 3
# Longer than reading one file takes. Within it a second ring does nothing: it would count a pickup that lost no worker.
LEASE = timedelta(seconds=45)
RENEW_AFTER = timedelta(seconds=10)
WORKER_LOST = "WORKER_LOST"
_LOST = Obstacle(
    to=TurnState.FAILED,
    code=WORKER_LOST,
    message=f"{MOST_PICKUPS} workers stopped while they read this card, before anything was sent: it is not tried "
    "again by itself. Take away the file that was added last, or ask the operator to look at the workers' log.",
)


def pick_up(turn_id: uuid.UUID) -> Turn | None:
    """Return a queued turn, for the caller to run, with everything that running it looks at.

    None when it moved on, when another process has just picked it up, or when it was picked up too often without being
    sent: then it ends here as failed.
    """
    free = _free(turn_id)
    taken = free.filter(pickups__lt=MOST_PICKUPS).update(pickups=F("pickups") + 1, lease_until=Now() + LEASE)
    if not taken:
        _give_up(free)
        return None
    turn = find_queued(turn_id)
    if turn is not None and turn.pickups > 1:
        logger.warning("Turn picked up again: a worker was lost with it", extra={"turn": turn_id, "n": turn.pickups})
    return turn


class StillReading:
    """Call it between two files: a card with many of them takes longer to read than a pickup's lease."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._renew_at = clock.now() + RENEW_AFTER

    def __call__(self) -> None:
        if clock.now() < self._renew_at:
            return
        self._renew_at = clock.now() + RENEW_AFTER
        # By the number of the pickup: who was counted as lost takes no lease from the next worker.
        mine = Turn.objects.filter(pk=self._turn.pk, state=TurnState.QUEUED, pickups=self._turn.pickups)
        mine.update(lease_until=Now() + LEASE)


def _free(turn_id: uuid.UUID) -> QuerySet[Turn]:
    """A queued turn that no living process should be reading."""
    is_free = Q(lease_until__isnull=True) | Q(lease_until__lt=Now())
    return Turn.objects.filter(is_free, pk=turn_id, state=TurnState.QUEUED)


def _give_up(free: QuerySet[Turn]) -> None:
    worn = free.filter(pickups__gte=MOST_PICKUPS).values_list("pk", flat=True).first()
    turn = find_queued(worn) if worn else None
    if turn is None:
        return
    try:
        put_aside(turn, _LOST)
    except once.LostRace:  # a slow reader has sent it after all
        return
    logger.error("Turn given up: its workers were lost", extra={"turn": turn.pk, "card": turn.card_id})
