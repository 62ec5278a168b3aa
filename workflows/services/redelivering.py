"""Delivering again: as it was decided, or, where the destination leads elsewhere by now, as somebody decides anew."""

from __future__ import annotations

from dataclasses import replace

from django.db import transaction

from bakedbrie.lib.refusals import Refusal
from boards.access import look_again, require_open
from boards.models import Card
from destinations.access import lock_delivery
from destinations.models import Delivery
from destinations.selectors.deliveries import elsewhere_of
from destinations.services.deliveries import redeliver
from reviews.rules import why_not
from reviews.selectors.reviews import approved_in, contents_of
from reviews.selectors.standing import standing_of
from reviews.states import Verdict
from workspaces.access import require_writer
from workspaces.caller import Caller


@transaction.atomic
def deliver_again(asked_by: Caller, *, delivery: Delivery, preview_hash: str = "") -> Delivery:
    """Begin a delivery again; every door comes through here.

    What a person approved was bound to a place. Another place is approved by ``preview_hash``, and by nobody who may
    not approve the review itself: refuses MAKER_CANNOT_APPROVE and NOT_NAMED_REVIEWER.
    """
    require_writer(asked_by)
    caller, board = look_again(asked_by, delivery.card.board)
    require_open(board)
    locked = lock_delivery(delivery.pk)
    if locked is None or elsewhere_of(locked, locked.card) is None:
        # The place may still be changed before it is read again: without a hash, only what was approved is begun.
        return redeliver(caller, delivery=delivery)
    refusal = refusal_elsewhere(caller, locked, locked.card)
    if refusal is not None:
        raise refusal()
    return redeliver(caller, delivery=delivery, preview_hash=preview_hash)


def refusal_elsewhere(caller: Caller, delivery: Delivery, card: Card) -> Refusal | None:
    """Return what stands against the caller's sending a delivery to another place than the approved one, or None."""
    approved = approved_in(card, delivery.iteration_id).select_related("board__workspace", "maker")
    review = approved.order_by("-pk").first()
    if review is None:
        return None
    standing = replace(standing_of(caller, review, contents_of(review)), is_open=True)
    return why_not(Verdict.APPROVE, standing)
