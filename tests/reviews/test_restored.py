"""A restore: rows of an earlier moment, and a world that went on. Whatever leaves, leaves once all the same.

A savepoint is the backup: what is sent after it stays sent, and rolling back to it is the restore.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.core import mail
from django.core.management import call_command
from django.db import transaction
from django.test import override_settings
from pytest_django.fixtures import Settings

from agents.models import Turn
from agents.services.sweep import sweep_turns
from bakedbrie.lib import clock
from boards.models import Card
from destinations.models import Delivery, DeliveryStep, Destination
from destinations.services.attempts import claim_step as claim_delivery_step
from destinations.services.attempts import next_step
from destinations.services.sweep import sweep_deliveries
from reviews.models import FolderFile, FolderStep, Review
from reviews.services.folder_steps import claim_step
from reviews.services.sweep import sweep_folders
from tests.factories.destinations import make_destination, make_parcel
from tests.factories.reviews import decide
from tests.factories.workflows import Line
from tests.reviews.conftest import Shelf
from tests.reviews.test_delivered import permit
from tests.support.buckets import S3Server
from tests.support.fake_provider import FakeProvider
from tests.support.jobs import Ran, purge_jobs
from workspaces.caller import Caller
from workspaces.services.dispatch import resume_dispatch

pytestmark = pytest.mark.django_db

Drain = Callable[..., Ran]
LATER = timedelta(minutes=2)


@contextmanager
def backed_up() -> Iterator[None]:
    """Let the world go on within; afterwards the rows are those from before, settled as a restore does it."""
    backup = transaction.savepoint()
    yield
    transaction.savepoint_rollback(backup)
    purge_jobs()
    call_command("settle_restored", "2026-11-30 20:15 UTC")


def go_on(drain_jobs: Drain) -> None:
    """Sweep as if a while had passed since, and do what it rings for."""
    earlier = clock.now() - LATER
    Turn.objects.update(updated_at=earlier)
    Delivery.objects.update(updated_at=earlier)
    FolderStep.objects.update(updated_at=earlier)
    FolderFile.objects.update(try_at=earlier)
    Review.objects.update(opened_at=earlier)
    sweep_turns()
    sweep_deliveries()
    sweep_folders()
    drain_jobs()


def resume(caller: Caller, drain_jobs: Drain) -> None:
    resume_dispatch(caller)
    go_on(drain_jobs)


def calls(provider: FakeProvider) -> int:
    """How often a model was asked; asking for the list of models is none."""
    return sum(request.method == "POST" for request in provider.requests)


def sent(server: S3Server, destination: Destination) -> list[str]:
    config = destination.config
    bucket = server.bucket(config["bucket"], config["prefix"])
    return [server.read(bucket, key).decode() for key in server.keys(bucket)]


def forget_sent(server: S3Server, destination: Destination) -> None:
    """Take away what was delivered: whatever lies there afterwards was sent again."""
    config = destination.config
    bucket = server.bucket(config["bucket"], config["prefix"])
    for key in server.keys(bucket):
        server.client.delete_object(Bucket=bucket.name, Key=key)


def test_a_turn_that_was_queued_is_not_sent_before_work_is_resumed(
    line: Line, provider: FakeProvider, drain_jobs: Drain
) -> None:
    turn = line.start()
    with backed_up():
        provider.reply("Finished work.")
        drain_jobs()
        assert calls(provider) == 1

    go_on(drain_jobs)

    assert calls(provider) == 1
    assert Turn.objects.get(pk=turn.pk).sent_at is None


def test_a_delivery_that_was_queued_waits_and_then_finds_what_is_there(
    alice: Caller, server: S3Server, drain_jobs: Drain
) -> None:
    parcel = make_parcel(alice, server)
    delivery = parcel.queue()
    with backed_up():
        drain_jobs()
        assert Delivery.objects.get(pk=delivery.pk).state == "delivered"

    go_on(drain_jobs)
    waiting = Delivery.objects.get(pk=delivery.pk).state
    resume(alice, drain_jobs)

    assert waiting == "pending"
    step = DeliveryStep.objects.get(delivery=delivery)
    assert (step.state, step.was_there, step.delivery.state) == ("done", True, "delivered")
    assert len(sent(server, parcel.destination)) == 1


def test_a_delivery_that_was_out_is_unclear_and_never_sent_by_itself(
    alice: Caller, server: S3Server, drain_jobs: Drain
) -> None:
    parcel = make_parcel(alice, server)
    delivery = parcel.queue()
    step = next_step(delivery.pk)
    assert step is not None
    claim_delivery_step(step, deadline=timedelta(minutes=10))

    with backed_up():
        pass
    resume(alice, drain_jobs)

    assert Delivery.objects.get(pk=delivery.pk).state == "unknown"
    assert sent(server, parcel.destination) == []
    assert Card.objects.get(pk=parcel.card.pk).badge_reason == "OUTCOME_UNKNOWN"


def test_nothing_is_written_to_the_bucket_of_a_work_folder_before_work_is_resumed(
    shelf: Shelf, drain_jobs: Drain
) -> None:
    file = shelf.put()
    with backed_up():
        shelf.sweep()
        assert len(shelf.objects()) == 1
    forget_sent(shelf.server, shelf.destination)

    go_on(drain_jobs)
    while_paused = shelf.objects()
    resume(shelf.caller, drain_jobs)

    assert while_paused == {}
    assert list(shelf.objects()) == [f"Needs review/{file.path}"]
    assert FolderFile.objects.get(pk=file.pk).is_settled


def test_a_step_of_a_work_folder_that_was_out_is_unclear_and_the_next_looks_first(
    shelf: Shelf, drain_jobs: Drain
) -> None:
    file = shelf.put()
    step = FolderStep.objects.get(file=file)
    with backed_up():
        shelf.sweep()
    assert claim_step(step.pk) is None
    resume_dispatch(shelf.caller)
    assert claim_step(step.pk) is not None
    before = shelf.server.client.list_objects_v2(Bucket=shelf.bucket)["Contents"]

    call_command("settle_restored", "2026-11-30 20:15 UTC")
    resume(shelf.caller, drain_jobs)

    assert FolderStep.objects.get(pk=step.pk).state == "unknown"
    assert list(FolderStep.objects.filter(file=file).values_list("phase", flat=True).order_by("pk")) == [
        "copy",
        "verify",
    ]
    assert shelf.server.client.list_objects_v2(Bucket=shelf.bucket)["Contents"] == before


def test_nobody_is_mailed_again(line: Line, provider: FakeProvider, settings: Settings, drain_jobs: Drain) -> None:
    provider.reply("Finished work.")
    line.start()
    drain_jobs()
    settings.EMAIL_HOST = "smtp.invalid"
    with backed_up():
        go_on(drain_jobs)
        assert len(mail.outbox) == 1

    resume(line.caller, drain_jobs)

    assert Review.objects.get().state == "open"
    assert len(mail.outbox) == 1


def test_a_decision_that_was_made_since_is_made_again_and_sends_nothing_twice(
    line: Line, provider: FakeProvider, moto_server: S3Server, drain_jobs: Drain
) -> None:
    with override_settings(OUTBOUND_LOOPBACK=[provider.pair, moto_server.pair]):
        destination = make_destination(line.caller, moto_server, board=line.board)
        permit(line, "allowed")
        provider.reply("Finished work.")
        line.start()
        drain_jobs()
        with backed_up():
            decide(line.caller, Review.objects.get())
            drain_jobs()
            assert sent(moto_server, destination) == ["Finished work."]

        go_on(drain_jobs)
        by_itself = (Review.objects.get().state, Delivery.objects.count())
        decide(line.caller, Review.objects.get())
        resume(line.caller, drain_jobs)

        step = DeliveryStep.objects.get()
        assert by_itself == ("open", 0)
        assert (step.state, step.was_there) == ("done", True)
        assert sent(moto_server, destination) == ["Finished work."]
