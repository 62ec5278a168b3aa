"""Deliveries until they are sent: queued once for the same files, and begun again when a person asks for it."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Sequence
from datetime import date

from django.db import transaction
from django.db.models.functions import Now

from bakedbrie.lib import hashing
from bakedbrie.lib.jobs import Job, poke
from boards.access import lock_card
from boards.contents import Content
from boards.models import Card, Iteration
from boards.services.cards import set_badge
from boards.services.events import record_event
from boards.states import Badge, EventKind
from destinations.access import lock_delivery
from destinations.models import Delivery, DeliveryStep, Destination
from destinations.refusals import ALREADY_DELIVERED, DELIVERY_RUNNING, DESTINATION_CHANGED, DESTINATION_DISABLED
from destinations.selectors.deliveries import Elsewhere, elsewhere_of, planned_paths
from destinations.states import DELIVERING, OPEN, Cause, DeliveryState, DestinationState, StepState
from workspaces.access import require_writer
from workspaces.caller import Caller
from workspaces.models import Actor

logger = logging.getLogger(__name__)


@transaction.atomic(savepoint=False)
def queue_delivery(
    actor: Actor,
    *,
    card: Card,
    iteration: Iteration,
    destination: Destination,
    contents: Sequence[Content],
    finished_on: date,
    cause: Cause,
) -> Delivery:
    """Have exactly these contents delivered, and show it on the card; it is locked, and comes with its board.

    The same contents of the same round to the same destination are the same delivery, whatever became of it: one that
    failed is begun again by `redeliver` alone.
    """
    if not contents:
        raise ValueError("A delivery holds at least one thing.")
    key = delivery_key(card, iteration, destination, contents)
    earlier = Delivery.objects.filter(key=key).first()
    if earlier is not None:
        return earlier
    delivery = Delivery.objects.create(
        card=card,
        iteration=iteration,
        destination=destination,
        key=key,
        requested_by=actor,
        cause=cause,
        finished_on=finished_on,
    )
    _add_steps(delivery, contents, planned_paths(card, contents, destination, finished_on))
    record_event(card.board, EventKind.DELIVERY_QUEUED, actor=actor, card=card, **event_data(delivery))
    set_badge(card, Badge.WAITING, DELIVERING)
    poke(Job.DELIVERY_RUN, delivery.pk)
    logger.info("Delivery queued", extra={"delivery": delivery.pk, "card": card.pk, "cause": cause.value})
    return delivery


def delivery_key(card: Card, iteration: Iteration, destination: Destination, contents: Sequence[Content]) -> str:
    """Return the idempotency key: what would be sent, of which round, and where to."""
    return hashing.canonical_hash(
        "delivery",
        {
            "card": str(card.pk),
            "round": str(iteration.pk),
            "destination": str(destination.pk),
            "contents": [[content.name, content.media_type, content.sha256] for content in contents],
        },
    )


@transaction.atomic
def redeliver(caller: Caller, *, delivery: Delivery, preview_hash: str = "") -> Delivery:
    """Begin a failed or unclear delivery again, under its own key and paths: each looks first whether it is there.

    What arrived already is left alone. Where its destination leads elsewhere by now, ``preview_hash`` says that the
    caller has seen that place; then everything goes there, under the paths of that place. Refuses ALREADY_DELIVERED,
    DELIVERY_RUNNING, DESTINATION_DISABLED, and DESTINATION_CHANGED with what there is to see.
    """
    require_writer(caller)
    locked = lock_delivery(delivery.pk)
    assert locked is not None  # deliveries are deleted with their board alone, which the caller has just opened
    _require_ended(locked)
    card = lock_card(locked.card)
    held = card.badge == Badge.BLOCKED and card.badge_reason == locked.code
    elsewhere = elsewhere_of(locked, card)
    if elsewhere is not None:
        _require_seen(elsewhere, preview_hash)
    _begin_again(locked, elsewhere)
    record_event(
        card.board,
        EventKind.DELIVERY_QUEUED,
        actor=caller.actor,
        card=card,
        **event_data(locked),
        tries=locked.tries,
        is_elsewhere=elsewhere is not None,
    )
    if held:
        set_badge(card, Badge.WAITING, DELIVERING)
    poke(Job.DELIVERY_RUN, locked.pk)
    logger.info("Delivery begun again", extra={"delivery": locked.pk, "tries": locked.tries})
    return locked


def event_data(delivery: Delivery) -> dict[str, object]:
    """Return what every event of a delivery says about it."""
    destination = delivery.destination
    return {"delivery": str(delivery.pk), "destination": str(destination.pk), "name": destination.name}


def wake_deliveries(workspace_id: uuid.UUID) -> int:
    """Ring for every delivery of a workspace that is not ended, and say how many there are."""
    rows = Delivery.objects.filter(destination__workspace=workspace_id, state__in=OPEN).order_by("pk")
    waiting = list(rows.values_list("pk", flat=True))
    for delivery_id in waiting:
        poke(Job.DELIVERY_RUN, delivery_id)
    return len(waiting)


def ring_again(delivery: Delivery) -> Job | None:
    """Ring for a delivery that nobody seems to have answered, and return the job; None when it is over and told."""
    if delivery.state in OPEN:
        poke(Job.DELIVERY_RUN, delivery.pk)
        return Job.DELIVERY_RUN
    if delivery.told_at is None:
        poke(Job.DELIVERY_FINISH, delivery.pk)
        return Job.DELIVERY_FINISH
    return None


def _require_ended(delivery: Delivery) -> None:
    if delivery.state == DeliveryState.DELIVERED:
        raise ALREADY_DELIVERED()
    if delivery.state in OPEN:
        raise DELIVERY_RUNNING()
    if delivery.destination.state == DestinationState.OFF:
        raise DESTINATION_DISABLED()


def _require_seen(elsewhere: Elsewhere, preview_hash: str) -> None:
    if preview_hash != elsewhere.preview_hash:
        seen = {"target": elsewhere.target, "paths": list(elsewhere.paths)}
        raise DESTINATION_CHANGED(preview_hash=elsewhere.preview_hash, untrusted_data=seen)


def _add_steps(delivery: Delivery, contents: Sequence[Content], paths: Sequence[str]) -> None:
    DeliveryStep.objects.bulk_create(
        DeliveryStep(
            delivery=delivery,
            tries=delivery.tries,
            n=n,
            name=content.name,
            path=path,
            place=delivery.destination.place,
            media_type=content.media_type,
            bytes=content.bytes,
            sha256=content.sha256,
            result=content.result,
            file=content.file,
        )
        for n, (content, path) in enumerate(zip(contents, paths, strict=True), start=1)
    )


def _begin_again(delivery: Delivery, elsewhere: Elsewhere | None) -> None:
    """Open a new try: at another place for everything, else for each file that did not arrive in an earlier one."""
    delivery.tries += 1
    if elsewhere is not None:
        _add_steps(delivery, elsewhere.contents, elsewhere.paths)
    else:
        _add_missing(delivery)
    Delivery.objects.filter(pk=delivery.pk).update(
        state=DeliveryState.PENDING,
        code="",
        tries=delivery.tries,
        rings=0,
        finished_at=None,
        told_at=None,
        updated_at=Now(),
    )
    delivery.refresh_from_db(fields=["state", "code", "finished_at", "told_at"])


def _add_missing(delivery: Delivery) -> None:
    steps = list(delivery.steps.order_by("n", "tries"))
    arrived = {step.n for step in steps if step.state == StepState.DONE and step.place == delivery.destination.place}
    newest = {step.n: step for step in steps}
    copied = ("n", "name", "path", "place", "media_type", "bytes", "sha256", "result_id", "file_id")
    DeliveryStep.objects.bulk_create(
        DeliveryStep(delivery=delivery, tries=delivery.tries, **{name: getattr(step, name) for name in copied})
        for n, step in newest.items()
        if n not in arrived
    )
