"""A service that is slow, breaks off or errs: unclear is unclear, and nothing is sent twice by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.test import override_settings

from bakedbrie.lib.s3 import pace
from boards.models import Card
from boards.states import Badge
from destinations.access import get_delivery
from destinations.models import Delivery, DeliveryStep, Destination
from destinations.services.attempts import Ending, claim_step, next_step, settle_step
from destinations.services.deliveries import redeliver
from destinations.services.sweep import sweep_deliveries
from destinations.states import DeliveryState, DestinationState, StepState
from tests.factories.boards import make_board, make_card
from tests.factories.destinations import RESULT, bare_destination, queued_delivery
from tests.support.fake_service import FakeService, Script, answering, dropping, hanging
from tests.support.jobs import Ran
from workspaces.caller import Caller
from workspaces.services.capabilities import switch_capability

pytestmark = pytest.mark.django_db

Drain = Callable[..., Ran]
ERROR = b'<?xml version="1.0"?><Error><Code>%s</Code></Error>'
NOTHING_THERE = answering(404)
THERE = {"Content-Length": str(len(RESULT))}


@pytest.fixture
def service() -> Iterator[FakeService]:
    with FakeService() as service, override_settings(OUTBOUND_LOOPBACK=[service.pair]):
        yield service


@pytest.fixture
def delivery(alice: Caller, service: FakeService) -> Delivery:
    """A delivery on its way to the scripted service."""
    switch_capability(alice, name="destinations", is_on=True)
    board = make_board(alice)
    destination = bare_destination(alice, board)
    destination.config = {**destination.config, "endpoint": service.url(), "region": "us-east-1"}
    destination.save(update_fields=["config"])
    return queued_delivery(alice, make_card(alice, board), destination)


def writes(service: FakeService) -> int:
    return sum(request.method == "PUT" for request in service.requests)


def ended(delivery: Delivery) -> tuple[str, str]:
    fresh = Delivery.objects.get(pk=delivery.pk)
    return fresh.state, fresh.code


@pytest.mark.requirement("D042")
@pytest.mark.parametrize("script", [dropping, answering(500), answering(502, body=ERROR % b"InternalError")])
def test_a_write_without_a_clear_answer_is_unknown_and_never_sent_again_by_itself(
    service: FakeService, delivery: Delivery, drain_jobs: Drain, script: Script
) -> None:
    service.script(NOTHING_THERE, script)

    drain_jobs()
    sweep_deliveries()
    drain_jobs()

    card = Card.objects.get(pk=delivery.card_id)
    assert ended(delivery) == (DeliveryState.UNKNOWN, "OUTCOME_UNKNOWN")
    assert (card.badge, card.badge_reason) == (Badge.BLOCKED, "OUTCOME_UNKNOWN")
    assert [request.method for request in service.requests] == ["HEAD", "PUT"]
    assert Destination.objects.get().state == DestinationState.FAILING


@pytest.mark.requirement("D043")
def test_an_unknown_one_begun_again_looks_and_finds_what_arrived(
    alice: Caller, service: FakeService, delivery: Delivery, drain_jobs: Drain
) -> None:
    service.script(NOTHING_THERE, dropping)
    drain_jobs()
    service.script(answering(200, headers=THERE), answering(200, body=RESULT.encode()))

    redeliver(alice, delivery=get_delivery(alice, delivery.pk))
    drain_jobs()

    assert ended(delivery) == (DeliveryState.DELIVERED, "")
    assert writes(service) == 1
    assert {request.path for request in service.requests} == {service.requests[0].path}


def test_an_answer_that_does_not_come_in_time_is_unknown(
    service: FakeService, delivery: Delivery, drain_jobs: Drain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "LEAST_S", 0.5)
    service.script(NOTHING_THERE, hanging)

    drain_jobs()

    assert ended(delivery) == (DeliveryState.UNKNOWN, "OUTCOME_UNKNOWN")
    assert writes(service) == 1


@pytest.mark.parametrize(
    ("look", "code"),
    [
        (dropping, "API_UNAVAILABLE"),
        (answering(500), "API_UNAVAILABLE"),
        (answering(403), "DESTINATION_AUTH_FAILED"),
        (answering(301), "BUCKET_ELSEWHERE"),
        (answering(429), "RATE_LIMITED"),
        (answering(400), "HTTP_400"),
    ],
)
def test_a_look_that_tells_nothing_writes_nothing(
    service: FakeService, delivery: Delivery, drain_jobs: Drain, look: Script, code: str
) -> None:
    service.script(look)

    drain_jobs()

    assert ended(delivery) == (DeliveryState.FAILED, code)
    assert writes(service) == 0


@pytest.mark.parametrize(
    ("status", "error", "code"),
    [
        (403, b"AccessDenied", "DESTINATION_AUTH_FAILED"),
        (404, b"NoSuchBucket", "BUCKET_NOT_FOUND"),
        (503, b"SlowDown", "RATE_LIMITED"),
        (400, b"EntityTooLarge", "HTTP_400"),
    ],
)
def test_a_write_that_is_refused_has_its_code(
    service: FakeService, delivery: Delivery, drain_jobs: Drain, status: int, error: bytes, code: str
) -> None:
    service.script(NOTHING_THERE, answering(status, body=ERROR % error))

    drain_jobs()

    step = DeliveryStep.objects.get()
    assert ended(delivery) == (DeliveryState.FAILED, code)
    assert (step.state, step.http_status) == (StepState.FAILED, status)


def test_a_service_that_does_not_know_the_condition_is_asked_without_it(
    service: FakeService, delivery: Delivery, drain_jobs: Drain
) -> None:
    service.script(NOTHING_THERE, answering(501, body=ERROR % b"NotImplemented"), answering(200))

    drain_jobs()

    assert ended(delivery) == (DeliveryState.DELIVERED, "")
    assert ["if-none-match" in request.headers for request in service.requests] == [False, True, False]


def test_who_writes_between_the_look_and_the_write_keeps_what_they_wrote(
    service: FakeService, delivery: Delivery, drain_jobs: Drain
) -> None:
    service.script(
        NOTHING_THERE,
        answering(412, body=ERROR % b"PreconditionFailed"),
        answering(200, headers={"Content-Length": "3"}),
    )

    drain_jobs()

    assert ended(delivery) == (DeliveryState.FAILED, "PATH_TAKEN")
    assert writes(service) == 1


def test_an_object_is_read_before_it_counts_as_the_same(
    service: FakeService, delivery: Delivery, drain_jobs: Drain
) -> None:
    service.script(answering(200, headers=THERE), answering(200, body=RESULT.encode()))

    drain_jobs()

    assert ended(delivery) == (DeliveryState.DELIVERED, "")
    assert DeliveryStep.objects.get().was_there
    assert [request.method for request in service.requests] == ["HEAD", "GET"]


def test_other_bytes_under_the_note_of_a_hash_are_not_taken_for_delivered(
    service: FakeService, delivery: Delivery, drain_jobs: Drain
) -> None:
    noted = {**THERE, "x-amz-meta-sha256": DeliveryStep.objects.get().sha256}
    other = answering(200, body=b"X" * len(RESULT), headers=noted)
    service.script(answering(200, headers=noted), other)

    drain_jobs()

    assert ended(delivery) == (DeliveryState.FAILED, "PATH_TAKEN")
    assert [request.method for request in service.requests] == ["HEAD", "GET"]


@pytest.mark.parametrize(
    ("read", "code"),
    [(answering(403), "DESTINATION_AUTH_FAILED"), (answering(206, body=RESULT.encode()), "API_UNAVAILABLE")],
)
def test_an_object_that_cannot_be_read_whole_is_not_taken_for_delivered(
    service: FakeService, delivery: Delivery, drain_jobs: Drain, read: Script, code: str
) -> None:
    service.script(answering(200, headers=THERE), read)

    drain_jobs()

    assert (ended(delivery), writes(service)) == ((DeliveryState.FAILED, code), 0)


def test_an_answer_after_the_sweep_changes_nothing(service: FakeService, delivery: Delivery) -> None:
    step = DeliveryStep.objects.get()
    attempt = claim_step(sending_step(delivery), deadline=timedelta(seconds=1))
    DeliveryStep.objects.update(lease_until=step.created_at)
    sweep_deliveries()

    kept = settle_step(step.pk, attempt, Ending(to=StepState.DONE))

    assert not kept
    assert ended(delivery) == (DeliveryState.UNKNOWN, "OUTCOME_UNKNOWN")


def sending_step(delivery: Delivery) -> DeliveryStep:
    step = next_step(delivery.pk)
    assert step is not None
    return step
