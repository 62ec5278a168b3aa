"""A worker that is asked to stop ends the calls it has begun; asked again, it ends at once. While it runs, it shows."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable

import pytest
import redis
from django.conf import settings
from django.db.models import F
from django.test import Client

from agents.models import ModelCall, Turn
from agents.states import TurnState
from bakedbrie.lib import presence
from bakedbrie.lib.jobs import Job
from bakedbrie.lib.presence import Sign
from boards.models import Result
from tests.acceptance.conftest import Model
from tests.acceptance.worker import Broker, Worker, until
from tests.factories.workflows import Line, make_line
from workspaces.caller import Caller

HEARD = "The worker ends what it has begun"

pytestmark = [pytest.mark.acceptance, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def line(alice: Caller, model: Model) -> Line:
    return make_line(alice, model.provider)


@pytest.fixture
def turn(line: Line) -> Turn:
    """A queued turn; the test rings for it itself."""
    return line.start()


@pytest.fixture(autouse=True)
def no_signs() -> None:
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        client.delete(*(presence._key(sign) for sign in Sign))


def is_in(turn: Turn, state: TurnState) -> Callable[[], bool]:
    return lambda: Turn.objects.filter(pk=turn.pk, state=state).exists()


def is_finished(turn: Turn) -> bool:
    return Turn.objects.filter(pk=turn.pk, finished_at__isnull=False).exists()


def is_seen(sign: Sign) -> Callable[[], bool]:
    return lambda: presence.ages_s()[sign] is not None


def ask_to_stop(worker: Worker) -> None:
    """Ask, and wait until it has heard."""
    earlier = worker.log().count(HEARD)
    worker.ask_to_stop()
    until(lambda: worker.log().count(HEARD) > earlier, "the worker has heard that it is to stop")


def test_asked_to_stop_it_ends_the_call_it_has_begun_and_begins_no_other(
    worker: Worker, broker: Broker, model: Model, line: Line, turn: Turn
) -> None:
    with model.silent() as answer_now:
        broker.ring(Job.TURN_RUN, turn.pk)
        model.wait_for_a_call()
        ask_to_stop(worker)
        broker.ring(Job.TURN_RUN, turn.pk)
        answer_now()
        status = worker.wait_for_end()

    assert status == 0
    assert is_in(turn, TurnState.DONE)()
    assert ModelCall.objects.get(turn=turn).answered_at is not None
    worker.start()
    until(lambda: is_finished(turn) and broker.waiting() == 0, "the card goes on with the next worker")
    assert model.calls() == 1
    assert Result.objects.filter(card=turn.card_id).count() == 1
    assert line.fresh_card().stage_id == line.done.pk


def test_asked_again_it_ends_at_once_and_the_call_is_unknown_and_never_sent_again(
    worker: Worker, broker: Broker, model: Model, line: Line, turn: Turn
) -> None:
    with model.silent():
        broker.ring(Job.TURN_RUN, turn.pk)
        model.wait_for_a_call()
        ask_to_stop(worker)
        worker.ask_to_stop()
        status = worker.wait_for_end()

    assert status == 128 + signal.SIGTERM
    assert is_in(turn, TurnState.SENDING)()
    Turn.objects.filter(pk=turn.pk).update(lease_until=F("lease_until") - F("lease_until") + F("sent_at"))
    worker.start()
    broker.ring(Job.SWEEP)
    until(lambda: is_finished(turn), "the turn is finished")
    assert is_in(turn, TurnState.UNKNOWN)()
    assert model.calls() == 1


def test_a_worker_and_beat_show_that_they_live_and_what_they_did(worker: Worker, broker: Broker) -> None:
    until(is_seen(Sign.WORKER), "the worker shows itself")
    assert not is_seen(Sign.SWEEP)()
    assert not is_seen(Sign.BEAT)()

    with worker.beat():
        until(is_seen(Sign.BEAT), "beat sends a tick")
        until(is_seen(Sign.SWEEP), "the worker does what beat rang for")

    answer = Client().get("/health/work")
    assert (answer.status_code, answer.json()["beat"], answer.json()["worker"]) == (200, "ok", "ok")


def test_a_line_of_a_workers_log_is_one_object_with_the_ids_of_its_turn(
    worker: Worker, broker: Broker, model: Model, line: Line, turn: Turn
) -> None:
    broker.ring(Job.TURN_RUN, turn.pk)
    until(lambda: is_finished(turn), "the turn is finished")

    lines = [json.loads(text) for text in worker.log().splitlines() if text.startswith("{")]
    ended = [one for one in lines if one["message"] == "Turn ended" and one["turn"] == str(turn.pk)]
    assert len(ended) == 1
    assert {name: ended[0][name] for name in ("job", "workspace", "state")} == {
        "job": "turns.run",
        "workspace": str(line.board.workspace_id),
        "state": "done",
    }
    assert ended[0]["call"] == str(ModelCall.objects.get(turn=turn).attempt)
    assert len(ended[0]["job_id"]) == 36


def test_what_a_worker_counted_is_told_by_the_web_process(
    worker: Worker, broker: Broker, model: Model, line: Line, turn: Turn
) -> None:
    broker.ring(Job.TURN_RUN, turn.pk)
    until(lambda: is_finished(turn), "the turn is finished")

    text = Client().get("/metrics").content.decode()

    assert 'bakedbrie_jobs_total{job="turns.run",result="done"}' in text
    assert 'bakedbrie_job_seconds_count{job="turns.run"}' in text
