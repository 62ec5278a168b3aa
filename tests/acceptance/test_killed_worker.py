"""A worker that is killed anywhere on a turn's way: nothing is sent twice, nothing is lost, no card stands still."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db.models import F

from agents.models import ModelCall, Turn
from agents.states import TurnState
from bakedbrie.lib.jobs import Job
from boards.models import Result
from boards.states import Badge
from tests.acceptance.conftest import Model
from tests.acceptance.worker import Broker, Worker, holding, until
from tests.factories.workflows import Line, make_line
from workspaces.caller import Caller

pytestmark = [pytest.mark.acceptance, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def line(alice: Caller, model: Model) -> Line:
    return make_line(alice, model.provider)


@pytest.fixture
def turn(line: Line) -> Turn:
    """A queued turn; the test rings for it itself."""
    return line.start()


def recover(worker: Worker, broker: Broker, turn: Turn) -> None:
    """Start the worker again, let time pass by a lease, and ring for the sweep, until the card has gone on."""
    worker.start()
    past = timedelta(hours=2)
    Turn.objects.filter(pk=turn.pk).update(lease_until=F("lease_until") - past, updated_at=F("updated_at") - past)
    broker.ring(Job.SWEEP)
    until(lambda: is_finished(turn), "the turn is finished")
    turn.refresh_from_db()


def is_finished(turn: Turn) -> bool:
    return Turn.objects.filter(pk=turn.pk, finished_at__isnull=False).exists()


def is_in(turn: Turn, state: TurnState) -> Callable[[], bool]:
    return lambda: Turn.objects.filter(pk=turn.pk, state=state).exists()


def assert_done(line: Line, turn: Turn) -> None:
    card = line.fresh_card()
    assert (turn.state, turn.code) == (TurnState.DONE, "")
    assert (card.stage_id, card.badge) == (line.done.pk, Badge.DONE)
    assert Result.objects.filter(card=card).count() == 1


def assert_unknown(line: Line, turn: Turn) -> None:
    card = line.fresh_card()
    assert (turn.state, turn.code) == (TurnState.UNKNOWN, "AI_OUTCOME_UNKNOWN")
    assert (card.stage_id, card.badge, card.badge_reason) == (line.doing.pk, Badge.BLOCKED, "AI_OUTCOME_UNKNOWN")
    assert not Result.objects.exists()


def test_a_worker_runs_a_turn_to_the_end(worker: Worker, broker: Broker, model: Model, line: Line, turn: Turn) -> None:
    broker.ring(Job.TURN_RUN, turn.pk)

    until(lambda: is_finished(turn), "the turn is finished")

    turn.refresh_from_db()
    assert_done(line, turn)
    assert model.calls() == 1


def test_killed_before_the_claim_it_is_run_by_the_next(
    worker: Worker, broker: Broker, model: Model, line: Line, turn: Turn
) -> None:
    with holding(turn) as wait_until_waiting:
        broker.ring(Job.TURN_RUN, turn.pk)
        wait_until_waiting()
        worker.kill()
    assert is_in(turn, TurnState.QUEUED)()
    assert (model.calls(), ModelCall.objects.count()) == (0, 0)

    recover(worker, broker, turn)

    assert_done(line, turn)
    assert model.calls() == 1


def test_killed_after_the_claim_it_is_unknown_and_never_sent(
    worker: Worker, broker: Broker, model: Model, line: Line, turn: Turn
) -> None:
    with model.unreachable():
        broker.ring(Job.TURN_RUN, turn.pk)
        until(is_in(turn, TurnState.SENDING), "the turn is claimed")
        worker.kill()
    assert ModelCall.objects.get(turn=turn).answered_at is None

    recover(worker, broker, turn)

    assert_unknown(line, turn)
    assert model.calls() == 0


@pytest.mark.requirement("C015")
def test_killed_after_the_send_it_is_unknown_and_not_sent_again(
    worker: Worker, broker: Broker, model: Model, line: Line, turn: Turn
) -> None:
    with model.silent():
        broker.ring(Job.TURN_RUN, turn.pk)
        model.wait_for_a_call()
        worker.kill()

    recover(worker, broker, turn)
    broker.ring(Job.TURN_RUN, turn.pk)
    broker.ring(Job.SWEEP)
    until(lambda: broker.waiting() == 0, "the second ring is taken")

    assert_unknown(line, turn)
    assert model.calls() == 1


def test_killed_before_it_settles_it_is_unknown_and_not_sent_again(
    worker: Worker, broker: Broker, model: Model, line: Line, turn: Turn
) -> None:
    with model.silent() as answer_now:
        broker.ring(Job.TURN_RUN, turn.pk)
        model.wait_for_a_call()
        with holding(turn) as wait_until_waiting:
            answer_now()
            wait_until_waiting()
            worker.kill()
    assert is_in(turn, TurnState.SENDING)()

    recover(worker, broker, turn)

    assert_unknown(line, turn)
    assert model.calls() == 1


def test_killed_between_settling_and_finishing_the_card_goes_on_later(
    worker: Worker, broker: Broker, model: Model, line: Line, turn: Turn
) -> None:
    with holding(line.done) as wait_until_waiting:
        broker.ring(Job.TURN_RUN, turn.pk)
        wait_until_waiting()
        assert is_in(turn, TurnState.DONE)()
        worker.kill()
    assert not is_finished(turn)
    assert line.fresh_card().stage_id == line.doing.pk

    recover(worker, broker, turn)

    assert_done(line, turn)
    assert model.calls() == 1


@pytest.mark.requirement("C018")
def test_a_broker_that_forgot_everything_loses_no_turn(
    worker: Worker, broker: Broker, model: Model, line: Line, turn: Turn
) -> None:
    worker.kill()
    broker.ring(Job.TURN_RUN, turn.pk)
    assert broker.waiting() == 1
    broker.flush()

    recover(worker, broker, turn)

    assert_done(line, turn)
    assert model.calls() == 1


def test_a_broker_that_forgets_while_the_model_works_loses_no_answer(
    worker: Worker, broker: Broker, model: Model, line: Line, turn: Turn
) -> None:
    with model.silent() as answer_now:
        broker.ring(Job.TURN_RUN, turn.pk)
        model.wait_for_a_call()
        broker.flush()
        answer_now()
        until(lambda: is_finished(turn), "the turn is finished")

    turn.refresh_from_db()
    assert_done(line, turn)
    assert model.calls() == 1


@pytest.mark.requirement("C015")
def test_many_rings_for_one_turn_send_once(
    worker: Worker, broker: Broker, model: Model, line: Line, turn: Turn
) -> None:
    for _ in range(10):
        broker.ring(Job.TURN_RUN, turn.pk)

    until(lambda: is_finished(turn) and broker.waiting() == 0, "the turn is finished and every ring is taken")

    turn.refresh_from_db()
    assert_done(line, turn)
    assert model.calls() == 1
