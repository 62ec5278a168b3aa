"""A delivery at a real S3: what arrives is what was made, once, and everything that goes wrong has its code."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from bakedbrie.lib.refusals import Refused
from boards.contents import Content
from boards.models import BoardEvent, Card, CardFile
from boards.services.files import add_file, remove_file
from boards.states import Badge, FileOrigin
from destinations.access import get_delivery
from destinations.calls.sending import run_delivery
from destinations.models import Delivery, DeliveryStep, Destination
from destinations.services.deliveries import redeliver
from destinations.services.destinations import turn_off
from destinations.states import DeliveryState, DestinationState, StepState
from tests.factories.destinations import RESULT, Parcel
from tests.support.jobs import Ran
from workspaces.caller import Caller
from workspaces.services.capabilities import switch_capability
from workspaces.services.dispatch import pause_dispatch, resume_dispatch

pytestmark = pytest.mark.django_db

Drain = Callable[..., Ran]


def fresh(delivery: Delivery) -> Delivery:
    return Delivery.objects.get(pk=delivery.pk)


def keys(parcel: Parcel) -> list[str]:
    return parcel.server.keys(parcel.server.bucket(parcel.bucket))


def read(parcel: Parcel, path: str) -> bytes:
    return parcel.server.read(parcel.server.bucket(parcel.bucket), path)


def add_made_file(parcel: Parcel, name: str, content: bytes) -> CardFile:
    file = add_file(parcel.caller, card=parcel.card, name=name, stream=io.BytesIO(content))
    CardFile.objects.filter(pk=file.pk).update(origin=FileOrigin.MADE)
    file.refresh_from_db()
    return file


def content_of(file: CardFile) -> Content:
    return Content(name=file.name, media_type=file.media_type, bytes=file.bytes, sha256=file.sha256, file=file)


@pytest.mark.requirement("D003", "D041")
def test_a_delivery_arrives_and_its_receipt_names_the_key(parcel: Parcel, drain_jobs: Drain) -> None:
    delivery = parcel.queue()

    ran = drain_jobs()

    step = DeliveryStep.objects.get()
    card = Card.objects.get(pk=parcel.card.pk)
    assert ran == [(f"deliveries.{job}", (str(delivery.pk),)) for job in ("run", "finish")]
    assert keys(parcel) == [step.path]
    assert read(parcel, step.path).decode() == RESULT
    assert (fresh(delivery).state, fresh(delivery).code) == (DeliveryState.DELIVERED, "")
    assert (step.state, step.http_status, step.was_there, step.etag != "") == (StepState.DONE, 200, False, True)
    assert (card.badge, card.badge_reason) == (Badge.DONE, "")
    assert BoardEvent.objects.get(kind="delivered").data["name"] == "Website"


@pytest.mark.requirement("D014")
def test_files_follow_the_result_in_order_and_each_is_sent_once(parcel: Parcel, drain_jobs: Drain) -> None:
    files = [add_made_file(parcel, name, name.encode() * 1000) for name in ("chart.csv", "größe.txt")]

    parcel.queue([*parcel.contents, *map(content_of, files)])
    drain_jobs()

    steps = list(DeliveryStep.objects.order_by("n"))
    assert [step.path.rpartition("-")[2] for step in steps[1:]] == ["chart.csv", "größe.txt"]
    assert sorted(keys(parcel)) == sorted(step.path for step in steps)
    assert read(parcel, steps[2].path) == "größe.txt".encode() * 1000


def test_a_second_ring_sends_nothing(parcel: Parcel, drain_jobs: Drain) -> None:
    delivery = parcel.queue()
    drain_jobs()
    attempt = DeliveryStep.objects.get().attempt

    run_delivery(delivery.pk)
    drain_jobs()

    assert DeliveryStep.objects.get().attempt == attempt
    assert BoardEvent.objects.filter(kind="delivered").count() == 1


def test_a_file_is_sent_in_a_bounded_number_of_statements(parcel: Parcel) -> None:
    delivery = parcel.queue()

    with CaptureQueriesContext(connection) as queries:
        run_delivery(delivery.pk)

    assert len([query for query in queries if "SAVEPOINT" not in query["sql"]]) == 13


@pytest.mark.requirement("D043")
def test_a_delivery_begun_again_finds_what_is_there_and_sends_nothing(
    alice: Caller, parcel: Parcel, drain_jobs: Drain
) -> None:
    delivery = parcel.queue()
    path = DeliveryStep.objects.get().path
    parcel.server.write(parcel.server.bucket(parcel.bucket), path, RESULT.encode())
    Delivery.objects.update(state=DeliveryState.UNKNOWN, code="OUTCOME_UNKNOWN")
    DeliveryStep.objects.update(state=StepState.UNKNOWN)

    redeliver(alice, delivery=get_delivery(alice, delivery.pk))
    drain_jobs()

    newest = DeliveryStep.objects.order_by("tries").last()
    assert newest is not None
    assert (newest.tries, newest.path, newest.state, newest.was_there) == (2, path, StepState.DONE, True)
    assert (fresh(delivery).state, fresh(delivery).tries) == (DeliveryState.DELIVERED, 2)
    assert keys(parcel) == [path]


def test_something_else_at_the_path_is_never_written_over(alice: Caller, parcel: Parcel, drain_jobs: Drain) -> None:
    delivery = parcel.queue()
    path = DeliveryStep.objects.get().path
    other = RESULT.replace("7", "8")
    parcel.server.write(parcel.server.bucket(parcel.bucket), path, other.encode())

    drain_jobs()

    card = Card.objects.get(pk=parcel.card.pk)
    assert read(parcel, path).decode() == other
    assert (fresh(delivery).state, fresh(delivery).code) == (DeliveryState.FAILED, "PATH_TAKEN")
    assert (card.badge, card.badge_reason) == (Badge.BLOCKED, "PATH_TAKEN")
    assert BoardEvent.objects.get(kind="delivery_failed").data["code"] == "PATH_TAKEN"
    assert Destination.objects.get().state == DestinationState.ON


def test_once_the_path_is_free_a_delivery_begun_again_arrives(alice: Caller, parcel: Parcel, drain_jobs: Drain) -> None:
    delivery = parcel.queue()
    path = DeliveryStep.objects.get().path
    bucket = parcel.server.bucket(parcel.bucket)
    parcel.server.write(bucket, path, b"somebody else's")
    drain_jobs()
    parcel.server.client.delete_object(Bucket=bucket.name, Key=path)

    redeliver(alice, delivery=get_delivery(alice, delivery.pk))
    waiting = Card.objects.get(pk=parcel.card.pk)
    drain_jobs()

    card = Card.objects.get(pk=parcel.card.pk)
    assert (waiting.badge, waiting.badge_reason) == (Badge.WAITING, "DELIVERING")
    assert (fresh(delivery).state, card.badge) == (DeliveryState.DELIVERED, Badge.DONE)
    assert read(parcel, path).decode() == RESULT


def test_a_file_that_was_taken_off_ends_the_delivery_and_the_next_ones_are_not_sent(
    parcel: Parcel, drain_jobs: Drain
) -> None:
    gone, kept = add_made_file(parcel, "gone.txt", b"x"), add_made_file(parcel, "kept.txt", b"y")
    delivery = parcel.queue([*parcel.contents, content_of(gone), content_of(kept)])
    remove_file(parcel.caller, file=gone)

    drain_jobs()

    states = list(DeliveryStep.objects.order_by("n").values_list("state", flat=True))
    assert states == [StepState.DONE, StepState.FAILED, StepState.CANCELED]
    assert (fresh(delivery).state, fresh(delivery).code) == (DeliveryState.FAILED, "CONTENT_GONE")
    assert len(keys(parcel)) == 1


def test_a_bucket_that_is_gone_fails_and_the_destination_shows_it(parcel: Parcel, drain_jobs: Drain) -> None:
    delivery = parcel.queue()
    parcel.server.client.delete_bucket(Bucket=parcel.bucket)

    drain_jobs()

    destination = Destination.objects.get()
    assert (fresh(delivery).state, fresh(delivery).code) == (DeliveryState.FAILED, "BUCKET_NOT_FOUND")
    assert (destination.state, destination.last_error) == (DestinationState.FAILING, "BUCKET_NOT_FOUND")


def test_an_unreachable_service_fails_before_anything_is_sent(parcel: Parcel, drain_jobs: Drain) -> None:
    parcel.destination.config["endpoint"] = "https://absent.invalid"
    parcel.destination.save(update_fields=["config"])
    delivery = parcel.queue()

    drain_jobs()

    assert (fresh(delivery).state, fresh(delivery).code) == (DeliveryState.FAILED, "API_UNAVAILABLE")


def test_work_that_is_paused_keeps_a_delivery_until_it_goes_on(
    alice: Caller, parcel: Parcel, drain_jobs: Drain
) -> None:
    delivery = parcel.queue()
    pause_dispatch(alice)
    drain_jobs()
    before = (fresh(delivery).state, keys(parcel))

    resume_dispatch(alice)
    drain_jobs()

    assert before == (DeliveryState.PENDING, [])
    assert fresh(delivery).state == DeliveryState.DELIVERED


def test_what_is_queued_for_a_destination_that_is_turned_off_is_not_sent(
    alice: Caller, parcel: Parcel, drain_jobs: Drain
) -> None:
    delivery = parcel.queue()
    turn_off(alice, destination=parcel.destination)

    drain_jobs()

    assert (fresh(delivery).state, fresh(delivery).code) == (DeliveryState.FAILED, "DESTINATION_DISABLED")
    assert keys(parcel) == []


def test_what_is_queued_while_the_capability_goes_off_is_not_sent(
    alice: Caller, parcel: Parcel, drain_jobs: Drain
) -> None:
    delivery = parcel.queue()
    switch_capability(alice, name="destinations", is_on=False)

    drain_jobs()

    assert (fresh(delivery).state, fresh(delivery).code) == (DeliveryState.FAILED, "CAPABILITY_OFF")
    assert keys(parcel) == []


def test_a_card_that_went_on_meanwhile_keeps_what_it_shows(parcel: Parcel, drain_jobs: Drain) -> None:
    parcel.queue()
    Card.objects.update(badge=Badge.WORKING, badge_reason="")

    drain_jobs()

    assert Card.objects.get(pk=parcel.card.pk).badge == Badge.WORKING
    assert BoardEvent.objects.filter(kind="delivered").count() == 1


@pytest.mark.requirement("D043")
def test_only_a_delivery_that_ended_badly_is_begun_again(alice: Caller, parcel: Parcel, drain_jobs: Drain) -> None:
    delivery = parcel.queue()
    codes = []
    for state in (DeliveryState.PENDING, DeliveryState.SENDING, DeliveryState.DELIVERED):
        Delivery.objects.update(state=state)
        with pytest.raises(Refused) as refused:
            redeliver(alice, delivery=get_delivery(alice, delivery.pk))
        codes.append(refused.value.code)
    Delivery.objects.update(state=DeliveryState.FAILED)
    turn_off(alice, destination=parcel.destination)
    with pytest.raises(Refused) as refused:
        redeliver(alice, delivery=get_delivery(alice, delivery.pk))

    assert codes == ["DELIVERY_RUNNING", "DELIVERY_RUNNING", "ALREADY_DELIVERED"]
    assert refused.value.code == "DESTINATION_DISABLED"
    assert DeliveryStep.objects.count() == 1
