"""A turn that loses its worker while its card is read: counted outside the worker, and given up after the third."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.db.models.functions import Now

from agents.calls.hosted import run_turn
from agents.models import ModelCall, Turn
from agents.services.pickups import LEASE, RENEW_AFTER, StillReading, pick_up
from agents.services.sweep import sweep_turns
from agents.services.turns import wake_turns
from agents.states import TurnState
from bakedbrie.lib.jobs import Job
from boards.models import BoardEvent
from boards.states import EventKind
from tests.agents.conftest import Desk, rung
from tests.support.fake_provider import FakeProvider
from workspaces.services.dispatch import pause_dispatch, resume_dispatch

pytestmark = pytest.mark.django_db


def lose_worker(turn: Turn) -> None:
    """Pick the turn up as a worker does that then dies, and let its lease run out."""
    assert pick_up(turn.pk) is not None
    Turn.objects.filter(pk=turn.pk).update(lease_until=Now() - timedelta(seconds=1))


def state_of(turn: Turn) -> tuple[str, str, int]:
    turn.refresh_from_db()
    return turn.state, turn.code, turn.pickups


def test_a_turn_that_runs_is_picked_up_once(paid_desk: Desk) -> None:
    turn = paid_desk.queue()

    run_turn(turn.pk)

    assert state_of(turn) == (TurnState.DONE, "", 1)


@pytest.mark.requirement("C015")
def test_further_rings_while_a_worker_reads_the_card_count_nothing(paid_desk: Desk, service: FakeProvider) -> None:
    turn = paid_desk.queue()
    pick_up(turn.pk)

    for _ in range(5):
        run_turn(turn.pk)

    assert state_of(turn) == (TurnState.QUEUED, "", 1)
    assert service.calls == []


@pytest.mark.requirement("C017")
def test_after_three_lost_workers_the_turn_is_failed_unsent(paid_desk: Desk, service: FakeProvider) -> None:
    turn = paid_desk.queue()
    for _ in range(3):
        lose_worker(turn)
    connection.run_on_commit.clear()

    run_turn(turn.pk)
    run_turn(turn.pk)

    assert state_of(turn) == (TurnState.FAILED, "WORKER_LOST", 3)
    assert rung() == [(Job.TURN_FINISH, (turn.pk,))]
    assert (service.calls, ModelCall.objects.count()) == ([], 0)
    ended = BoardEvent.objects.filter(card=turn.card_id, kind=EventKind.TURN_ENDED)
    assert [event.data["code"] for event in ended] == ["WORKER_LOST"]


def test_a_slow_worker_that_was_counted_as_lost_still_sends_once(paid_desk: Desk, service: FakeProvider) -> None:
    turn = paid_desk.queue()
    for _ in range(2):
        lose_worker(turn)

    run_turn(turn.pk)
    run_turn(turn.pk)

    assert state_of(turn) == (TurnState.DONE, "", 3)
    assert len(service.calls) == 1


def test_the_sweep_rings_for_a_lost_pickup_only_once_its_lease_is_over(paid_desk: Desk) -> None:
    turn = paid_desk.queue()
    Turn.objects.filter(pk=turn.pk).update(updated_at=Now() - timedelta(minutes=5))
    pick_up(turn.pk)
    assert sweep_turns()["queued"] == 0

    Turn.objects.filter(pk=turn.pk).update(lease_until=Now() - timedelta(seconds=1))

    assert sweep_turns()["queued"] == 1


def test_a_card_that_takes_long_to_read_keeps_its_worker(paid_desk: Desk) -> None:
    turn = paid_desk.queue()
    picked = pick_up(turn.pk)
    assert picked is not None
    reading = StillReading(picked)
    Turn.objects.filter(pk=turn.pk).update(lease_until=Now() + timedelta(seconds=1))

    reading()
    early = Turn.objects.get(pk=turn.pk).lease_until
    with time_machine.travel(0, tick=False) as time:
        reading = StillReading(picked)
        time.shift(RENEW_AFTER)
        reading()
    late = Turn.objects.get(pk=turn.pk).lease_until

    assert early is not None
    assert late is not None
    assert late - early > LEASE / 2
    assert sweep_turns()["queued"] == 0


def test_who_was_counted_as_lost_takes_no_lease_from_the_next_worker(paid_desk: Desk) -> None:
    turn = paid_desk.queue()
    lost = pick_up(turn.pk)
    assert lost is not None
    Turn.objects.filter(pk=turn.pk).update(lease_until=Now() - timedelta(seconds=1))
    pick_up(turn.pk)
    lease = Turn.objects.get(pk=turn.pk).lease_until

    with time_machine.travel(0, tick=False) as time:
        reading = StillReading(lost)
        time.shift(RENEW_AFTER)
        reading()

    assert Turn.objects.get(pk=turn.pk).lease_until == lease


def test_a_turn_that_waited_meanwhile_begins_to_count_anew(paid_desk: Desk) -> None:
    turn = paid_desk.queue()
    lose_worker(turn)
    pause_dispatch(paid_desk.caller, reason="Audit")
    run_turn(turn.pk)
    assert state_of(turn) == (TurnState.WAITING, "", 2)
    resume_dispatch(paid_desk.caller)

    wake_turns(paid_desk.caller.workspace.pk)
    run_turn(turn.pk)

    assert state_of(turn) == (TurnState.DONE, "", 1)
