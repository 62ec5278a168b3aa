"""request_id replay, two calls at once: the second waits or is told to, and never acts."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import IntegrityError

from bakedbrie.lib.refusals import RATE_LIMITED, Refused
from bakedbrie.lib.toolkit.tool import Effect
from tests.factories.workspaces import make_workspace
from tests.support.races import DEADLINE_S, at_once, codes, wait_until_waiting
from workspaces.caller import Caller
from workspaces.models import Actor, RequestRecord
from workspaces.services.actors import automation
from workspaces.services.replay import Run, replay
from workspaces.states import ActorKind

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def caller() -> Caller:
    return make_workspace()


def call(caller: Caller, run: Run, effect: Effect = Effect.WRITE) -> Any:
    return replay(caller, request_id="r-1", call={"tool": "make"}, effect=effect, run=run)


def robots() -> list[str]:
    return list(Actor.objects.filter(kind=ActorKind.AUTOMATION).values_list("name", flat=True))


@pytest.mark.requirement("W059", "C023")
def test_two_copies_at_once_make_one_thing_and_get_one_answer(caller: Caller) -> None:
    def make() -> dict[str, Any]:
        return {"id": str(automation(caller.workspace, threading.current_thread().name).pk)}

    answers = at_once(*[lambda: call(caller, make)] * 4)

    assert len({str(answer) for answer in answers}) == 1
    assert len(robots()) == 1


@pytest.mark.requirement("C023")
def test_a_twin_waits_for_the_first_and_gets_its_answer(caller: Caller) -> None:
    is_running = threading.Event()

    def first() -> dict[str, Any]:
        automation(caller.workspace, "first")
        is_running.set()
        wait_until_waiting()
        return {"made": "first"}

    def second() -> dict[str, Any]:
        return {"made": automation(caller.workspace, "second").name}

    def twin() -> Any:
        is_running.wait(DEADLINE_S)
        return call(caller, second)

    answers = at_once(lambda: call(caller, first), twin)

    assert answers == [{"made": "first"}, {"made": "first"}]
    assert robots() == ["first"]


@pytest.mark.requirement("C023")
def test_a_twin_of_a_call_that_left_no_record_does_the_work(caller: Caller) -> None:
    is_running = threading.Event()

    def first() -> dict[str, Any]:
        automation(caller.workspace, "first")
        is_running.set()
        wait_until_waiting()
        raise RATE_LIMITED()

    def twin() -> Any:
        is_running.wait(DEADLINE_S)
        return call(caller, lambda: {"made": automation(caller.workspace, "second").name})

    outcomes = at_once(lambda: call(caller, first), twin)

    assert isinstance(outcomes[0], Refused)
    assert outcomes[1] == {"made": "second"}
    assert robots() == ["second"]


@pytest.mark.requirement("C023")
def test_a_twin_of_a_running_send_is_told_so_and_sends_nothing(caller: Caller) -> None:
    is_sent, may_answer = threading.Event(), threading.Event()
    sent: list[str] = []

    def first() -> dict[str, Any]:
        sent.append("first")
        is_sent.set()
        may_answer.wait(DEADLINE_S)
        return {"answer": 42}

    def twin() -> Any:
        is_sent.wait(DEADLINE_S)
        try:
            return call(caller, lambda: {"sent": sent.append("twin")}, Effect.SEND)  # type: ignore[func-returns-value]
        finally:
            may_answer.set()

    outcomes = at_once(lambda: call(caller, first, Effect.SEND), twin)

    assert codes(outcomes) == ["REQUEST_IN_PROGRESS", "done"]
    assert call(caller, dict, Effect.SEND) == {"answer": 42}
    assert sent == ["first"]


def test_a_unique_index_that_the_work_itself_meets_is_no_twin(caller: Caller) -> None:
    def collide() -> dict[str, Any]:
        for _ in range(2):
            Actor.objects.create(workspace=caller.workspace, kind=ActorKind.AUTOMATION, name="same")
        return {}

    with pytest.raises(IntegrityError):
        call(caller, collide)

    assert (RequestRecord.objects.count(), robots()) == (0, [])
