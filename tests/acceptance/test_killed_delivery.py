"""A worker that is killed anywhere on a delivery's way: nothing is sent twice by itself, nothing is lost."""

from __future__ import annotations

import socket
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db.models import F

from bakedbrie.lib.jobs import Job
from boards.contents import content_of, open_content
from boards.models import BoardEvent, Card
from boards.states import Badge
from destinations.access import get_delivery
from destinations.models import Delivery, DeliveryStep, Destination
from destinations.services.deliveries import redeliver
from destinations.states import DeliveryState, StepState
from tests.acceptance.worker import Broker, Worker, holding, until
from tests.factories.boards import make_board, make_card
from tests.factories.destinations import bare_destination, queued_delivery
from tests.support.fake_provider import Late
from tests.support.fake_service import FakeService, answering
from workspaces.caller import Caller
from workspaces.services.capabilities import switch_capability

pytestmark = [pytest.mark.acceptance, pytest.mark.django_db(transaction=True)]

PAST = timedelta(hours=2)


@pytest.fixture
def bucket(one_bucket: FakeService) -> FakeService:
    one_bucket.requests.clear()
    return one_bucket


@pytest.fixture
def delivery(alice: Caller, bucket: FakeService) -> Delivery:
    """A queued delivery; the test rings for it itself."""
    switch_capability(alice, name="destinations", is_on=True)
    board = make_board(alice)
    destination = bare_destination(alice, board)
    lead_to(bucket.url())
    destination.refresh_from_db()
    return queued_delivery(alice, make_card(alice, board), destination)


def lead_to(endpoint: str) -> None:
    """Have the bucket lie there, also for what was queued already."""
    for destination in Destination.objects.all():
        destination.config = {**destination.config, "endpoint": endpoint, "region": "us-east-1"}
        destination.save(update_fields=["config"])
        DeliveryStep.objects.update(place=destination.place)


def writes(bucket: FakeService) -> int:
    return sum(request.method == "PUT" for request in bucket.requests)


def is_told(delivery: Delivery) -> bool:
    return Delivery.objects.filter(pk=delivery.pk, told_at__isnull=False).exists()


def is_step_in(state: StepState) -> Callable[[], bool]:
    return lambda: DeliveryStep.objects.filter(state=state).exists()


def recover(worker: Worker, broker: Broker, delivery: Delivery) -> None:
    """Start the worker again, let time pass by a lease, and ring for the sweep, until the card shows the end."""
    worker.start()
    DeliveryStep.objects.update(lease_until=F("lease_until") - PAST)
    Delivery.objects.update(updated_at=F("updated_at") - PAST)
    broker.ring(Job.SWEEP)
    until(lambda: is_told(delivery), "the delivery is told")


def assert_ended(delivery: Delivery, state: DeliveryState, code: str, badge: Badge) -> None:
    delivery.refresh_from_db()
    card = Card.objects.get(pk=delivery.card_id)
    assert (delivery.state, delivery.code, card.badge, card.badge_reason) == (state, code, badge, code)
    assert BoardEvent.objects.filter(kind__in=["delivered", "delivery_failed"]).count() == 1


def test_killed_before_the_claim_it_is_sent_by_the_next(
    worker: Worker, broker: Broker, bucket: FakeService, delivery: Delivery
) -> None:
    with holding(delivery.steps.get()) as wait_until_waiting:
        broker.ring(Job.DELIVERY_RUN, delivery.pk)
        wait_until_waiting()
        worker.kill()
    assert (is_step_in(StepState.QUEUED)(), bucket.requests) == (True, [])

    recover(worker, broker, delivery)

    assert_ended(delivery, DeliveryState.DELIVERED, "", Badge.DONE)
    assert writes(bucket) == 1


def test_killed_after_the_claim_it_is_unknown_and_never_sent_by_itself(
    worker: Worker, broker: Broker, bucket: FakeService, delivery: Delivery, full_listener: socket.socket
) -> None:
    host, port = full_listener.getsockname()
    lead_to(f"http://{host}:{port}")
    broker.ring(Job.DELIVERY_RUN, delivery.pk)
    until(is_step_in(StepState.SENDING), "the file is claimed")
    worker.kill()
    lead_to(bucket.url())

    recover(worker, broker, delivery)

    assert_ended(delivery, DeliveryState.UNKNOWN, "OUTCOME_UNKNOWN", Badge.BLOCKED)
    assert bucket.requests == []


@pytest.mark.requirement("D042", "D043")
def test_killed_after_the_send_it_is_unknown_until_a_person_has_it_looked_for(
    alice: Caller, worker: Worker, broker: Broker, bucket: FakeService, delivery: Delivery
) -> None:
    late = Late(answering(200))
    bucket.script(answering(404), late)
    broker.ring(Job.DELIVERY_RUN, delivery.pk)
    bucket.wait_for_requests(2)
    worker.kill()
    late.answer_now()

    recover(worker, broker, delivery)
    broker.ring(Job.DELIVERY_RUN, delivery.pk)
    broker.ring(Job.SWEEP)
    until(lambda: broker.waiting("default") == 0, "the second ring is taken")
    assert_ended(delivery, DeliveryState.UNKNOWN, "OUTCOME_UNKNOWN", Badge.BLOCKED)
    assert writes(bucket) == 1

    step = DeliveryStep.objects.get()
    there = {"Content-Length": str(step.bytes), "x-amz-meta-sha256": step.sha256}
    with open_content(content_of(step)) as stream:
        bucket.script(answering(200, headers=there), answering(200, body=stream.read()))
    redeliver(alice, delivery=get_delivery(alice, delivery.pk))
    broker.ring(Job.DELIVERY_RUN, delivery.pk)
    until(lambda: is_told(delivery), "it is told again")

    assert Delivery.objects.get().state == DeliveryState.DELIVERED
    assert writes(bucket) == 1


def test_killed_before_it_settles_it_is_unknown_and_not_sent_again(
    worker: Worker, broker: Broker, bucket: FakeService, delivery: Delivery
) -> None:
    late = Late(answering(200))
    bucket.script(answering(404), late)
    broker.ring(Job.DELIVERY_RUN, delivery.pk)
    bucket.wait_for_requests(2)
    with holding(delivery) as wait_until_waiting:
        late.answer_now()
        wait_until_waiting()
        worker.kill()

    recover(worker, broker, delivery)

    assert_ended(delivery, DeliveryState.UNKNOWN, "OUTCOME_UNKNOWN", Badge.BLOCKED)
    assert writes(bucket) == 1


def test_killed_between_settling_and_telling_the_card_shows_it_later(
    worker: Worker, broker: Broker, bucket: FakeService, delivery: Delivery
) -> None:
    with holding(Card.objects.get(pk=delivery.card_id)) as wait_until_waiting:
        broker.ring(Job.DELIVERY_RUN, delivery.pk)
        wait_until_waiting()
        worker.kill()
    assert (is_step_in(StepState.DONE)(), is_told(delivery)) == (True, False)

    recover(worker, broker, delivery)

    assert_ended(delivery, DeliveryState.DELIVERED, "", Badge.DONE)
    assert writes(bucket) == 1
