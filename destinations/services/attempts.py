"""The one attempt of each file: what stands against it, its claim, and how it ends; and how a delivery ends with it."""

from __future__ import annotations

import logging
import uuid
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models.functions import Now

from bakedbrie.lib import once
from bakedbrie.lib.jobs import Job, poke
from boards.models import Card
from destinations.access import lock_delivery
from destinations.models import Delivery, DeliveryStep, Destination
from destinations.states import (
    ENDED,
    OPEN,
    TELLS_OF_DESTINATION,
    DeliveryCode,
    DeliveryState,
    DestinationState,
    StepState,
)
from workspaces import capabilities

logger = logging.getLogger(__name__)

_ENDS = {StepState.UNKNOWN: DeliveryState.UNKNOWN, StepState.DONE: DeliveryState.DELIVERED}


@dataclass(frozen=True, kw_only=True)
class Ending:
    """How the attempt of one file ended; ``code`` is a `DeliveryCode`, or HTTP_ and a status."""

    to: StepState
    code: str = DeliveryCode.DONE
    etag: str = ""
    http_status: int | None = None
    was_there: bool = False


def next_step(delivery_id: uuid.UUID) -> DeliveryStep | None:
    """Return the next file to send, with all that sending it looks at; None when nothing is to be sent now.

    One at a time, in their order: while one is out, or after one did not arrive, there is no next.
    """
    steps = DeliveryStep.objects.select_related(
        "delivery__destination__secret", "delivery__destination__workspace", "delivery__card__board", "result", "file"
    )
    rows = list(steps.filter(delivery=delivery_id, delivery__state__in=OPEN).order_by("tries", "n"))
    current = [step for step in rows if step.tries == step.delivery.tries]
    step = next((step for step in current if step.state != StepState.DONE), None)
    if step is None or step.state != StepState.QUEUED or step.delivery.destination.workspace.dispatch_paused:
        return None
    return step


def obstacle_of(destination: Destination) -> DeliveryCode | None:
    """Return why nothing may be sent to a destination, with its workspace, that was just read."""
    if destination.state == DestinationState.OFF:
        return DeliveryCode.DISABLED
    if "destinations" not in capabilities.effective(destination.workspace.capabilities):
        return DeliveryCode.TURNED_OFF
    return DeliveryCode.KEY_UNUSABLE if destination.secret is None else None


def obstacle_to(step: DeliveryStep) -> DeliveryCode | None:
    """Return why a file that `next_step` gave may not be sent: also when its destination leads elsewhere by now than
    when somebody agreed to it, or its card was put away."""
    destination = step.delivery.destination
    found = obstacle_of(destination) or _put_away(step.delivery.card)
    is_elsewhere = bool(step.place) and step.place != destination.place
    return found or (DeliveryCode.CHANGED if is_elsewhere else None)


def _put_away(card: Card) -> DeliveryCode | None:
    """Nothing leaves from the trash or the archive, whatever was agreed to before."""
    if card.trashed_at is not None:
        return DeliveryCode.CARD_TRASHED
    return DeliveryCode.BOARD_ARCHIVED if card.board.archived_at is not None else None


@transaction.atomic
def claim_step(step: DeliveryStep, *, deadline: timedelta) -> uuid.UUID:
    """Take a queued file, or raise `bakedbrie.lib.once.LostRace`: somebody else has it, or destination or card
    changed since it was read."""
    destination = step.delivery.destination
    with_all = Delivery.objects.select_related("destination__workspace", "destination__secret", "card__board")
    delivery = with_all.get(pk=step.delivery_id)
    fresh = delivery.destination
    is_as_read = (fresh.revision, fresh.secret_id) == (destination.revision, destination.secret_id)
    if not is_as_read or obstacle_of(fresh) or _put_away(delivery.card) or fresh.workspace.dispatch_paused:
        raise once.LostRace(f"DeliveryStep {step.pk}")
    attempt = once.claim(DeliveryStep, step.pk, deadline=deadline)
    Delivery.objects.filter(pk=step.delivery_id, state=DeliveryState.PENDING).update(
        state=DeliveryState.SENDING, updated_at=Now()
    )
    return attempt


@transaction.atomic
def refuse_step(step: DeliveryStep, code: str) -> None:
    """End a queued file unsent, and its delivery with it."""
    lock_delivery(step.delivery_id)
    try:
        once.move(DeliveryStep, step.pk, from_=StepState.QUEUED, to=StepState.REFUSED, code=code)
    except once.LostRace:
        return
    _after(step.delivery_id, Ending(to=StepState.REFUSED, code=code))


@transaction.atomic
def settle_step(step_id: uuid.UUID, attempt: uuid.UUID, ending: Ending) -> bool:
    """Keep how an attempt ended, once; with the last file, or the first that did not arrive, the delivery ends.

    An answer that comes after the sweep named the file unknown changes nothing any more: delivering again looks first.
    Returns whether it was kept.
    """
    delivery_id = DeliveryStep.objects.values_list("delivery", flat=True).get(pk=step_id)
    lock_delivery(delivery_id)
    try:
        once.settle(
            DeliveryStep,
            step_id,
            attempt,
            ending.to,
            from_=once.OUT,
            code=ending.code,
            etag=ending.etag,
            http_status=ending.http_status,
            was_there=ending.was_there,
        )
    except once.LostRace:
        return False
    _after(delivery_id, ending)
    return True


def _after(delivery_id: uuid.UUID, ending: Ending) -> None:
    delivery = Delivery.objects.get(pk=delivery_id)
    steps = delivery.steps.filter(tries=delivery.tries)
    if ending.to is StepState.DONE and steps.exclude(state=StepState.DONE).exists():
        return
    steps.filter(state=StepState.QUEUED).update(state=StepState.CANCELED, settled_at=Now(), updated_at=Now())
    state = _ENDS.get(ending.to, DeliveryState.FAILED)
    Delivery.objects.filter(pk=delivery_id).exclude(state__in=ENDED).update(
        state=state, code=ending.code, finished_at=Now(), updated_at=Now()
    )
    note_outcome(delivery.destination_id, ending.code)
    poke(Job.DELIVERY_FINISH, delivery_id)
    logger.info("Delivery ended", extra={"delivery": delivery_id, "state": state.value, "code": str(ending.code)})


def note_outcome(destination_id: uuid.UUID, code: str) -> None:
    """Keep what an outcome told of the destination: that it is well, or that it fails. One that is off stays so."""
    rows = Destination.objects.filter(pk=destination_id).exclude(state=DestinationState.OFF)
    if code == DeliveryCode.DONE:
        rows.update(state=DestinationState.ON, last_error="", checked_at=Now(), updated_at=Now())
    elif code in TELLS_OF_DESTINATION or code.startswith("HTTP_"):
        rows.update(state=DestinationState.FAILING, last_error=code, checked_at=Now(), updated_at=Now())
