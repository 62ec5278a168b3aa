"""What is only kept for a while goes, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
import time_machine

from agents.models import TurnLine
from bakedbrie.lib import clock
from bakedbrie.lib.jobs import Job, poke
from tests.factories.agents import make_account, make_drop
from tests.factories.workflows import make_line
from tests.support.fake_provider import FakeProvider
from tests.support.jobs import Ran
from workflows.services.retention import forget_old_rows
from workspaces.caller import Caller
from workspaces.models import RequestRecord, SealedSecret, SecretDrop, SignInLink
from workspaces.services.sign_in_links import make_link

pytestmark = pytest.mark.django_db


def remember(caller: Caller, request_id: str) -> None:
    RequestRecord.objects.create(
        workspace=caller.workspace, subject=caller.subject, request_id=request_id, call_hash="0" * 64
    )


def test_request_records_are_forgotten_after_thirty_days(alice: Caller) -> None:
    now = clock.now()
    with time_machine.travel(now - timedelta(days=30, minutes=1)):
        remember(alice, "old")
    with time_machine.travel(now - timedelta(days=29, hours=23)):
        remember(alice, "young")

    counts = forget_old_rows()

    assert counts["records"] == 1
    assert [record.request_id for record in RequestRecord.objects.all()] == ["young"]


def test_the_lines_of_a_turn_are_forgotten_after_thirty_days(alice: Caller, provider: FakeProvider) -> None:
    turn = make_line(alice, provider).start()
    now = clock.now()
    with time_machine.travel(now - timedelta(days=30, minutes=1)):
        TurnLine.objects.create(turn=turn, seq=1, text="Old.")
    with time_machine.travel(now - timedelta(days=29, hours=23)):
        TurnLine.objects.create(turn=turn, seq=2, text="Young.")

    counts = forget_old_rows()

    assert counts["turn_lines"] == 1
    assert [line.text for line in TurnLine.objects.all()] == ["Young."]


def test_a_drop_is_forgotten_a_day_after_it_expired_and_an_unused_secret_with_it(alice: Caller) -> None:
    old, young = make_drop(alice), make_drop(alice)
    SecretDrop.objects.filter(pk=old.pk).update(expires_at=clock.now() - timedelta(days=1, minutes=1))
    SecretDrop.objects.filter(pk=young.pk).update(expires_at=clock.now() - timedelta(hours=23))

    counts = forget_old_rows()

    assert counts["drops"] == 1
    assert list(SecretDrop.objects.all()) == [young]
    assert list(SealedSecret.objects.values_list("pk", flat=True)) == [young.secret_id]


def test_the_key_of_an_account_outlives_the_drop_it_came_through(alice: Caller, provider: FakeProvider) -> None:
    account = make_account(alice, provider)
    SecretDrop.objects.update(expires_at=clock.now() - timedelta(days=2))

    forget_old_rows()

    account.refresh_from_db()
    assert not SecretDrop.objects.exists()
    assert account.secret is not None
    assert account.secret.sealed


def test_sign_in_links_are_forgotten_a_day_after_they_expired(alice: Caller) -> None:
    make_link(alice.member.user)
    make_link(alice.member.user)
    SignInLink.objects.filter(pk=SignInLink.objects.latest("pk").pk).update(expires_at=clock.now() - timedelta(days=2))

    assert forget_old_rows()["links"] == 1
    assert SignInLink.objects.count() == 1


def test_the_daily_job_does_it(alice: Caller, drain_jobs: Callable[..., Ran]) -> None:
    with time_machine.travel(clock.now() - timedelta(days=40)):
        remember(alice, "old")
    poke(Job.RETENTION)

    assert drain_jobs() == [("retention.run", ())]
    assert not RequestRecord.objects.exists()
