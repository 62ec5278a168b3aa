"""Ending turns that were not sent yet, when there is no reason left to send them."""

from __future__ import annotations

from django.db.models import QuerySet

from agents.models import Turn
from agents.services.open_approvals import close_approvals
from agents.services.turns import event_data
from agents.states import TurnState
from bakedbrie.lib import once
from boards.services.events import record_event
from boards.states import EventKind
from workflows.services.turns import finish_turn
from workspaces.caller import Caller


def cancel_unsent(caller: Caller, turns: QuerySet[Turn]) -> int:
    """Cancel those of ``turns`` that wait or are queued, let their cards go, and say how many. Sent ones settle."""
    found = turns.select_related("card__board", "agent").filter(state__in=once.UNSENT, finished_at__isnull=True)
    return sum(_cancel(caller, turn) for turn in found)


def _cancel(caller: Caller, turn: Turn) -> bool:
    try:
        once.move(Turn, turn.pk, from_=once.UNSENT, to=TurnState.CANCELED, reason="")
    except once.LostRace:
        return False
    close_approvals(turn.pk)
    card = turn.card
    record_event(card.board, EventKind.TURN_STOPPED, actor=caller.actor, card=card, **event_data(turn))
    finish_turn(turn.pk)
    return True
