"""request_id replay, one call after the other: same answer, no second effect, no mixing up."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection

from bakedbrie.lib import clock
from bakedbrie.lib.refusals import INTERNAL_ERROR, INVALID_INPUT, NOT_FOUND, RATE_LIMITED, Refusal, Refused
from bakedbrie.lib.toolkit.tool import Effect
from tests.factories.workspaces import make_workspace, token_caller
from tests.support.cast import token_of
from workspaces.caller import Caller
from workspaces.models import Actor, RequestRecord
from workspaces.refusals import FORBIDDEN, LAST_OWNER, SECRET_NOT_FILLED, UNAUTHENTICATED
from workspaces.services.actors import automation
from workspaces.services.replay import IN_PROGRESS_AT_MOST, replay
from workspaces.states import ActorKind, RecordState

Run = Callable[[], dict[str, Any]]
CALL = {"tool": "make", "arguments": {"name": "Robot"}}
CHANGES = [Effect.WRITE, Effect.SEND]


def again(caller: Caller, run: Run, effect: Effect = Effect.WRITE, **changed: Any) -> Any:
    given: dict[str, Any] = {"request_id": "r-1", "call": CALL, "effect": effect, **changed}
    return replay(caller, run=run, **given)


def making(caller: Caller, name: str = "Robot", **more: object) -> Run:
    """A call with an effect that can be counted: each run makes an automation of a new name."""

    def run() -> dict[str, Any]:
        number = robots(caller) + 1
        return {"z": number, "a": automation(caller.workspace, f"{name} {number}").name, **more}

    return run


def robots(caller: Caller) -> int:
    return Actor.objects.filter(workspace=caller.workspace, kind=ActorKind.AUTOMATION).count()


def refusing(caller: Caller, refused: Refused) -> Run:
    def run() -> dict[str, Any]:
        making(caller)()
        raise refused

    return run


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(Refused) as refused:
        call()
    return refused.value.code


@pytest.mark.requirement("W059", "C023")
@pytest.mark.parametrize("effect", CHANGES)
def test_a_repetition_has_no_second_effect_and_the_same_body(mia: Caller, effect: Effect) -> None:
    first = again(mia, making(mia, at=clock.to_text(clock.now()), ratio=0.1, text="Käse\u2028"), effect)
    second = again(mia, making(mia), effect)

    assert json.dumps(second) == json.dumps(first)
    assert robots(mia) == 1


@pytest.mark.requirement("W060", "C023")
@pytest.mark.parametrize("effect", CHANGES)
def test_another_call_with_the_same_id_is_refused(mia: Caller, effect: Effect) -> None:
    again(mia, making(mia), effect)

    for call in ({**CALL, "tool": "other"}, {**CALL, "arguments": {"name": "robot"}}):
        assert code_of(partial(again, mia, making(mia), effect, call=call)) == "REQUEST_ID_REUSED"

    assert robots(mia) == 1


@pytest.mark.requirement("C023")
def test_the_order_of_arguments_makes_no_other_call(mia: Caller) -> None:
    first = again(mia, making(mia), call={"a": 1, "b": 2})

    assert again(mia, making(mia), call={"b": 2, "a": 1}) == first


@pytest.mark.requirement("C023")
def test_two_tokens_and_the_web_never_share_a_record(mia: Caller, charlie: Caller) -> None:
    callers = [mia, token_caller(token_of(mia)), token_caller(token_of(mia))]

    answers = [again(caller, making(caller))["a"] for caller in [*callers, charlie]]

    assert answers == ["Robot 1", "Robot 2", "Robot 3", "Robot 1"]


@pytest.mark.requirement("C023")
def test_the_refusal_of_a_send_is_repeated_with_its_details(mia: Caller) -> None:
    def refused(run: Run) -> Refused:
        with pytest.raises(Refused) as caught:
            again(mia, run, Effect.SEND)
        return caught.value

    first = refused(refusing(mia, LAST_OWNER(members=["a", "b"], left=1)))
    second = refused(making(mia))

    assert (second.body(), second.refusal.status) == (first.body(), 409)
    assert second.details == {"members": ["a", "b"], "left": 1}


@pytest.mark.requirement("C023")
def test_a_refused_write_leaves_nothing_and_may_be_repeated_once_its_fix_was_followed(mia: Caller) -> None:
    assert code_of(lambda: again(mia, refusing(mia, NOT_FOUND()))) == "NOT_FOUND"

    assert (robots(mia), RequestRecord.objects.count()) == (0, 0)
    assert again(mia, making(mia))["a"] == "Robot 1"


@pytest.mark.parametrize("effect", CHANGES)
@pytest.mark.parametrize(
    "refusal", [INVALID_INPUT, UNAUTHENTICATED, FORBIDDEN, RATE_LIMITED, INTERNAL_ERROR, SECRET_NOT_FILLED]
)
def test_what_is_about_the_caller_or_says_try_again_is_not_kept(mia: Caller, effect: Effect, refusal: Refusal) -> None:
    def run() -> dict[str, Any]:
        raise refusal()

    assert code_of(lambda: again(mia, run, effect)) == refusal.code

    assert RequestRecord.objects.count() == 0
    assert again(mia, making(mia), effect)["a"] == "Robot 1"


def test_a_bug_in_a_write_takes_the_record_with_it(mia: Caller) -> None:
    def broken() -> dict[str, Any]:
        making(mia)()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        again(mia, broken)

    assert (RequestRecord.objects.count(), robots(mia)) == (0, 0)


def test_a_bug_in_a_send_leaves_the_outcome_unknown(mia: Caller) -> None:
    def broken() -> dict[str, Any]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        again(mia, broken, Effect.SEND)

    assert code_of(lambda: again(mia, making(mia), Effect.SEND)) == "OUTCOME_UNKNOWN"
    assert robots(mia) == 0


def test_a_send_that_died_is_in_progress_and_then_unknown(mia: Caller) -> None:
    again(mia, making(mia), Effect.SEND)
    RequestRecord.objects.update(state=RecordState.IN_PROGRESS)

    at_first = code_of(lambda: again(mia, making(mia), Effect.SEND))
    RequestRecord.objects.update(created_at=clock.now() - IN_PROGRESS_AT_MOST - timedelta(seconds=1))
    later = code_of(lambda: again(mia, making(mia), Effect.SEND))

    assert (at_first, later) == ("REQUEST_IN_PROGRESS", "OUTCOME_UNKNOWN")
    assert robots(mia) == 1


def test_a_field_shown_once_is_empty_in_the_repetition(mia: Caller) -> None:
    first = again(mia, making(mia, token="bb_secret"), shown_once=frozenset({"token"}))
    second = again(mia, making(mia), shown_once=frozenset({"token"}))

    assert (first["token"], second["token"]) == ("bb_secret", "")
    assert "bb_secret" not in RequestRecord.objects.get().answer


@pytest.mark.parametrize("changed", [{"request_id": ""}, {"effect": Effect.READ}])
def test_reads_and_calls_without_an_id_are_not_recorded(mia: Caller, changed: dict[str, Any]) -> None:
    answers = [again(mia, making(mia), **changed)["z"] for _ in range(2)]

    assert answers == [1, 2]
    assert RequestRecord.objects.count() == 0


@pytest.mark.parametrize("request_id", ["a b", "a\nb", "x" * 101, "ä", "\x00", "../etc"])
def test_an_odd_id_is_refused(mia: Caller, request_id: str) -> None:
    assert code_of(lambda: again(mia, making(mia), request_id=request_id)) == "INVALID_INPUT"

    assert robots(mia) == 0


def test_a_number_that_json_cannot_carry_is_refused(mia: Caller) -> None:
    assert code_of(lambda: again(mia, making(mia), call={"arguments": {"n": 2**60}})) == "INVALID_INPUT"


@pytest.mark.django_db(transaction=True)
def test_a_send_runs_outside_a_transaction_and_a_write_inside_one() -> None:
    from_inside: list[bool] = []
    caller = make_workspace()

    def run() -> dict[str, Any]:
        from_inside.append(connection.in_atomic_block)
        return {}

    again(caller, run, Effect.SEND, request_id="send")
    again(caller, run, Effect.WRITE, request_id="write")

    assert from_inside == [False, True]
