"""What follows a delivery: its card shows how it ended."""

from __future__ import annotations

import uuid

from django.db import transaction
from django.db.models.functions import Now

from boards.models import Card
from boards.services.cards import set_badge
from boards.services.events import record_event
from boards.states import Badge, EventKind
from destinations.access import lock_delivery
from destinations.models import Delivery
from destinations.services.deliveries import event_data
from destinations.states import DELIVERING, ENDED, DeliveryState
from reviews.selectors.reviews import approved_in
from reviews.services.folder_files import advance
from reviews.states import FolderArea


@transaction.atomic
def finish_delivery(delivery_id: uuid.UUID) -> None:
    """Tell on the card and in its history how a delivery ended, once.

    Called any number of times and by two processes at once: the delivery's row is locked, and ``told_at`` says that
    somebody was first. A card that something else has happened to meanwhile keeps what it shows.
    """
    delivery = lock_delivery(delivery_id)
    if delivery is None or delivery.state not in ENDED or delivery.told_at is not None:
        return
    Delivery.objects.filter(pk=delivery.pk).update(told_at=Now(), updated_at=Now())
    card = Card.objects.select_for_update(of=("self",), no_key=True).select_related("board").get(pk=delivery.card_id)
    arrived = delivery.state == DeliveryState.DELIVERED
    kind = EventKind.DELIVERED if arrived else EventKind.DELIVERY_FAILED
    told = event_data(delivery) if arrived else {**event_data(delivery), "code": delivery.code}
    record_event(card.board, kind, actor=delivery.requested_by, card=card, **told)
    if arrived:
        for review in approved_in(card, delivery.iteration_id):
            advance(review, FolderArea.DONE)
    if (card.badge, card.badge_reason) == (Badge.WAITING, DELIVERING):
        set_badge(card, Badge.DONE if arrived else Badge.BLOCKED, delivery.code)
