"""Finished work leaves: after an approval, at the end of a round, or with a person's own move to Done."""

from __future__ import annotations

from datetime import datetime

from agents.models import Approval, Turn
from agents.rules import DELIVER, verdict
from agents.selectors import may_deliver
from agents.services.approvals import Question, open_approval, stands
from agents.states import DELIVERY_ASKED
from bakedbrie.lib import clock
from bakedbrie.lib.refusals import PREVIEW_CHANGED
from boards.contents import round_contents
from boards.models import Card
from boards.services.cards import set_badge
from boards.states import Badge
from destinations.models import Delivery
from destinations.services.deliveries import queue_delivery
from destinations.states import Cause, DeliveryState
from workflows.selectors.outgoing import Outgoing, outgoing_of
from workspaces.models import Actor


def deliver(actor: Actor, *, card: Card, outgoing: Outgoing, cause: Cause, is_shown: bool = True) -> Delivery:
    """Queue exactly what was shown, for a locked card that is in Done.

    Refuses PREVIEW_CHANGED when a path that somebody was shown is taken by now.
    """
    delivery = queue_delivery(
        actor,
        card=card,
        iteration=outgoing.iteration,
        destination=outgoing.destination,
        contents=outgoing.contents,
        finished_on=outgoing.finished_on,
        cause=cause,
    )
    if is_shown and delivery.state == DeliveryState.PENDING:
        paths = delivery.steps.filter(tries=delivery.tries).order_by("n").values_list("path", flat=True)
        if list(paths) != list(outgoing.paths):
            raise PREVIEW_CHANGED()
    return delivery


def deliver_finished(turn: Turn, *, card: Card) -> Delivery | None:
    """Deliver what a turn finished without a review, where its agent may and the locked card has a destination.

    An agent that has to ask does so first: the card waits in Done for the answer.
    """
    outgoing = _outgoing(turn, card, clock.now()) if may_deliver(turn.version) else None
    if outgoing is None:
        return None
    if verdict(turn.version.permissions, DELIVER) == "ask":
        question = _question(outgoing)
        turn.card = card
        if not stands(turn, question):
            open_approval(turn, question)
            set_badge(card, Badge.WAITING, DELIVERY_ASKED)
            return None
    return deliver(turn.agent.actor, card=card, outgoing=outgoing, cause=Cause.FINISH, is_shown=False)


def question_of_delivery(approval: Approval) -> Question:
    """Return what an open question about a delivery is about by now; nothing where the destination is gone."""
    outgoing = _outgoing(approval.turn, approval.card, approval.created_at)
    return _question(outgoing) if outgoing else Question(area=DELIVER, target=approval.target, shown=())


def deliver_as_asked(approval: Approval) -> Delivery | None:
    """Queue what an answer has just allowed; its card is locked."""
    outgoing = _outgoing(approval.turn, approval.card, approval.created_at)
    if outgoing is None:
        return None
    if _question(outgoing).input_hash != approval.input_hash:  # a path was taken this moment
        raise PREVIEW_CHANGED()
    return deliver(approval.agent.actor, card=approval.card, outgoing=outgoing, cause=Cause.FINISH)


def _outgoing(turn: Turn, card: Card, finished_at: datetime) -> Outgoing | None:
    return outgoing_of(card, turn.iteration, round_contents(card, turn.iteration), finished_at=finished_at)


def _question(outgoing: Outgoing) -> Question:
    """``name`` is the path, which people see; the hash covers the destination as it is, and the bytes."""
    return Question(
        area=DELIVER,
        target=outgoing.destination.pk,
        shown=tuple(
            {
                "name": path,
                "bytes": content.bytes,
                "sha256": content.sha256,
                "destination": outgoing.destination.name,
                "revision": outgoing.destination.revision,
            }
            for path, content in zip(outgoing.paths, outgoing.contents, strict=True)
        ),
    )
