"""Nothing leaves from the trash or the archive, whatever was approved before."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from bakedbrie.lib.once import LostRace
from boards.access import get_card
from boards.models import Card
from boards.states import Badge
from destinations.access import get_delivery
from destinations.models import Delivery
from destinations.services.attempts import claim_step, next_step
from destinations.services.deliveries import redeliver
from destinations.states import DeliveryState
from tests.factories.destinations import Parcel
from tests.support.jobs import Ran
from workflows.services.archive import archive_board, restore_board
from workflows.services.cards import restore_card, trash_card

pytestmark = pytest.mark.django_db

Drain = Callable[..., Ran]


def put_into_trash(parcel: Parcel) -> None:
    trash_card(parcel.caller, card=get_card(parcel.caller, parcel.card.pk))


def put_into_archive(parcel: Parcel) -> None:
    archive_board(parcel.caller, board=parcel.board)


def take_from_trash(parcel: Parcel) -> None:
    restore_card(parcel.caller, card=get_card(parcel.caller, parcel.card.pk))


def take_from_archive(parcel: Parcel) -> None:
    restore_board(parcel.caller, board=parcel.board)


def keys(parcel: Parcel) -> list[str]:
    return parcel.server.keys(parcel.server.bucket(parcel.bucket))


WAYS = [
    (put_into_trash, take_from_trash, "CARD_TRASHED", Badge.IDLE),
    (put_into_archive, take_from_archive, "BOARD_ARCHIVED", Badge.BLOCKED),
]


@pytest.mark.requirement("V013")
@pytest.mark.parametrize(("away", "back", "code", "badge"), WAYS, ids=["trash", "archive"])
def test_what_is_put_away_is_not_sent_until_it_is_back_and_somebody_says_so(
    parcel: Parcel,
    drain_jobs: Drain,
    away: Callable[[Parcel], None],
    back: Callable[[Parcel], None],
    code: str,
    badge: Badge,
) -> None:
    delivery = parcel.queue()
    away(parcel)
    drain_jobs()
    stopped, shown, lying = Delivery.objects.get(), Card.objects.get().badge, keys(parcel)

    back(parcel)
    redeliver(parcel.caller, delivery=get_delivery(parcel.caller, delivery.pk))
    drain_jobs()

    assert (stopped.state, stopped.code, shown, lying) == (DeliveryState.FAILED, code, badge, [])
    assert (Delivery.objects.get().state, len(keys(parcel))) == (DeliveryState.DELIVERED, 1)


@pytest.mark.parametrize("away", [put_into_trash, put_into_archive])
def test_what_is_put_away_after_it_was_looked_at_is_not_claimed(parcel: Parcel, away: Callable[[Parcel], None]) -> None:
    step = next_step(parcel.queue().pk)
    assert step is not None
    away(parcel)

    with pytest.raises(LostRace):
        claim_step(step, deadline=timedelta(seconds=1))
