"""What is only kept for a while goes, and nothing else."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine

from agents.models import TurnLine
from agents.services.retention import forget_old
from bakedbrie.lib import clock
from tests.factories.agents import make_account, make_drop
from tests.factories.workflows import make_line
from tests.support.fake_provider import FakeProvider
from workspaces.caller import Caller
from workspaces.models import SealedSecret, SecretDrop
from workspaces.services.drops import consume_drop
from workspaces.states import SecretPurpose

pytestmark = pytest.mark.django_db


def test_the_lines_of_a_turn_are_forgotten_after_thirty_days(alice: Caller, service: FakeProvider) -> None:
    turn = make_line(alice, service).start()
    now = clock.now()
    with time_machine.travel(now - timedelta(days=30, minutes=1)):
        TurnLine.objects.create(turn=turn, seq=1, text="Old.")
    with time_machine.travel(now - timedelta(days=29, hours=23)):
        TurnLine.objects.create(turn=turn, seq=2, text="Young.")

    counts = forget_old()

    assert counts["turn_lines"] == 1
    assert [line.text for line in TurnLine.objects.all()] == ["Young."]


@pytest.mark.requirement("I001")
def test_a_key_that_was_taken_from_its_drop_and_reached_no_account_is_destroyed(alice: Caller) -> None:
    lost, fresh = (consume_drop(alice, drop_id=make_drop(alice).pk, purpose=SecretPurpose.AI_ACCOUNT) for _ in range(2))
    SealedSecret.objects.filter(pk=lost.pk).update(created_at=clock.now() - timedelta(days=2))

    counts = forget_old()

    assert counts["keys_destroyed"] == 1
    assert SealedSecret.objects.get(pk=lost.pk).sealed is None
    assert SealedSecret.objects.get(pk=fresh.pk).sealed is not None


def test_the_key_of_an_account_outlives_the_drop_it_came_through(alice: Caller, service: FakeProvider) -> None:
    account = make_account(alice, service)
    SecretDrop.objects.update(expires_at=clock.now() - timedelta(days=2))
    SealedSecret.objects.update(created_at=clock.now() - timedelta(days=2))

    forget_old()

    account.refresh_from_db()
    assert account.secret is not None
    assert account.secret.sealed
