"""Finished work leaves: after an approval, at the end of a round, or with a person's own move to Done."""

from __future__ import annotations

from agents.models import Turn
from agents.rules import verdict
from bakedbrie.lib import clock
from boards.contents import round_contents
from boards.models import Card
from destinations.models import Delivery
from destinations.services.deliveries import queue_delivery
from destinations.states import Cause
from workflows.selectors.outgoing import Outgoing, outgoing_of
from workspaces.models import Actor


def deliver(actor: Actor, *, card: Card, outgoing: Outgoing, cause: Cause) -> Delivery:
    """Queue exactly what was shown, for a locked card that is in Done."""
    return queue_delivery(
        actor,
        card=card,
        iteration=outgoing.iteration,
        destination=outgoing.destination,
        contents=outgoing.contents,
        finished_on=outgoing.finished_on,
        cause=cause,
    )


def deliver_finished(turn: Turn, *, card: Card) -> Delivery | None:
    """Deliver what a turn finished without a review, where its agent may and the locked card has a destination."""
    if verdict(turn.version.permissions, "deliver") != "allowed":
        return None
    contents = round_contents(card, turn.iteration)
    outgoing = outgoing_of(card, turn.iteration, contents, finished_at=clock.now())
    return deliver(turn.agent.actor, card=card, outgoing=outgoing, cause=Cause.FINISH) if outgoing else None
