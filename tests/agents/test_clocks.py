"""Processes whose clock is minutes off: what ends by itself ends by the database's clock alone."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.db.models import F
from django.db.models.functions import Now

from agents.calls.connect_account import connect_account
from agents.calls.hosted import run_turn
from agents.models import Turn
from agents.services.accounts import plan_account
from agents.services.attempts import Written, claim_turn
from agents.services.pickups import pick_up
from agents.services.sweep import sweep_turns
from agents.states import AccountKind, AccountState, Provider, TurnState
from bakedbrie.lib import clock
from tests.agents.conftest import Desk
from tests.factories.agents import make_drop
from tests.support.fake_provider import FakeProvider
from workspaces.caller import Caller
from workspaces.models import SecretDrop

pytestmark = [pytest.mark.django_db, pytest.mark.requirement("C021")]

MINUTES_OFF = [7, -7, 11, -11]
WRITTEN = Written(sha256="0" * 64, record={}, notes=[])


def off_by(minutes: int) -> time_machine.travel:
    """Set this process's clock wrong; the database keeps its own."""
    return time_machine.travel(clock.now() + timedelta(minutes=minutes))


@pytest.mark.parametrize("minutes", MINUTES_OFF)
def test_a_drop_lives_its_ten_minutes_whoever_prepares_it(alice: Caller, minutes: int) -> None:
    with off_by(minutes):
        drop = make_drop(alice)

    left = SecretDrop.objects.annotate(left=F("expires_at") - Now()).values_list("left", flat=True).get(pk=drop.pk)
    assert timedelta(minutes=9) < left <= timedelta(minutes=10)


@pytest.mark.parametrize("minutes", MINUTES_OFF)
def test_a_drop_is_filled_and_used_by_a_process_whose_clock_is_off(
    alice: Caller, service: FakeProvider, minutes: int
) -> None:
    drop = make_drop(alice)
    plan = plan_account(label="Key", kind=AccountKind.API_KEY, provider=Provider.ANTHROPIC, base_url=service.url())

    with off_by(minutes):
        account = connect_account(alice, plan=plan, drop_id=str(drop.pk)).account

    assert account.state == AccountState.READY


@pytest.mark.parametrize("minutes", MINUTES_OFF)
def test_a_lease_is_as_long_as_it_says_and_is_not_taken_early(paid_desk: Desk, minutes: int) -> None:
    turn = paid_desk.queue()
    with off_by(minutes):
        claim_turn(turn, written=WRITTEN, deadline=timedelta(seconds=30))
    kept = Turn.objects.annotate(left=F("lease_until") - Now()).get(pk=turn.pk)
    with off_by(-minutes):
        swept = sweep_turns()

    turn.refresh_from_db()
    assert timedelta(seconds=60) < kept.left <= timedelta(seconds=90)
    assert (swept["unknown"], turn.state) == (0, TurnState.SENDING)


@pytest.mark.parametrize("minutes", MINUTES_OFF)
def test_a_card_that_is_being_read_is_not_picked_up_again_early(paid_desk: Desk, minutes: int) -> None:
    turn = paid_desk.queue()
    with off_by(minutes):
        assert pick_up(turn.pk) is not None

    with off_by(-minutes):
        again = pick_up(turn.pk)

    turn.refresh_from_db()
    assert (again, turn.pickups) == (None, 1)


@pytest.mark.parametrize("minutes", MINUTES_OFF)
def test_a_turn_runs_to_its_end(paid_desk: Desk, service: FakeProvider, minutes: int) -> None:
    turn = paid_desk.queue()

    with off_by(minutes):
        run_turn(turn.pk)

    turn.refresh_from_db()
    assert (turn.state, len(service.calls)) == (TurnState.DONE, 1)
