"""A turn from the queue to its end: sent once, settled once, whatever happens on the way."""

from __future__ import annotations

import json
import threading

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from agents.calls.hosted import run_turn
from agents.models import AiAccount, ModelCall, Turn
from agents.providers.outcomes import AiCode
from agents.services.attempts import Ending, Written, settle_turn
from agents.services.bindings import bind_account
from agents.services.sweep import sweep_turns
from agents.services.turns import request_stop
from agents.states import AccountState, BindingScope, Provider, TurnState
from bakedbrie.lib import ids
from bakedbrie.lib.jobs import Job
from boards.models import BoardEvent
from boards.states import EventKind
from tests.agents.conftest import Desk, ended, rung
from tests.factories.agents import make_account
from tests.factories.boards import make_card
from tests.support.canary import KEY
from tests.support.fake_provider import FakeProvider, Late, fails, streams
from tests.support.fake_service import answering, dropping, saying

pytestmark = pytest.mark.django_db

WRITTEN = Written(sha256="0" * 64, record={}, notes=[])


def kinds_of(turn: Turn) -> list[str]:
    events = BoardEvent.objects.filter(card=turn.card_id, data__turn=str(turn.pk)).order_by("pk")
    return [event.kind for event in events]


@pytest.mark.requirement("I002", "I015")
@pytest.mark.parametrize("provider", list(Provider))
def test_a_turn_is_sent_once_and_keeps_what_came_back(desk: Desk, service: FakeProvider, provider: Provider) -> None:
    account = make_account(desk.caller, service, provider=provider)
    bind_account(desk.caller, account=account, scope=BindingScope.BOARD, board=desk.board)
    turn = desk.queue()

    run_turn(turn.pk)

    call = ModelCall.objects.get(turn=turn)
    assert ended(turn) == (TurnState.DONE, "")
    assert (turn.reply, turn.message, turn.finished_at) == ("Finished work.", "", None)
    assert (turn.account_id, turn.version_id) == (account.pk, desk.agent.published_id)
    assert (call.n, call.attempt, call.provider, call.model) == (1, turn.attempt, provider, account.model)
    assert (call.http_status, call.input_tokens, call.output_tokens) == (200, 1200, 300)
    assert (call.provider_request_id, call.answered_at is not None) == ("req_fake_1", True)
    assert call.cost_micros == (None if provider is Provider.OPENAI_COMPATIBLE else 5400)
    assert len(service.calls) == 1
    assert kinds_of(turn) == [EventKind.TURN_QUEUED, EventKind.TURN_STARTED, EventKind.TURN_ENDED]


def test_the_key_goes_to_the_provider_in_its_own_header_and_nowhere_else(
    paid_desk: Desk, service: FakeProvider, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    turn = paid_desk.queue()

    run_turn(turn.pk)

    call = service.calls[0]
    assert call.headers["x-api-key"] == KEY
    assert KEY.encode() not in call.body
    assert KEY not in caplog.text
    rows = [*Turn.objects.values(), *ModelCall.objects.values(), *BoardEvent.objects.values()]
    assert KEY not in str([*rows, *AiAccount.objects.values()])


def test_running_it_again_sends_nothing(paid_desk: Desk, service: FakeProvider) -> None:
    turn = paid_desk.queue()
    run_turn(turn.pk)

    run_turn(turn.pk)
    run_turn(ids.new_id())

    assert len(service.calls) == 1
    assert ModelCall.objects.count() == 1


@pytest.mark.requirement("I019", "C015")
@pytest.mark.django_db(transaction=True)
def test_two_workers_with_the_same_turn_send_it_once(paid_desk: Desk, service: FakeProvider) -> None:
    late = Late(streams("anthropic"))
    service.script(late)
    turn = paid_desk.queue()
    checked = len(service.requests)
    start = threading.Barrier(4)

    def work() -> None:
        try:
            start.wait()
            run_turn(turn.pk)
        finally:
            connection.close()

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    service.wait_for_requests(checked + 1)
    late.answer_now()
    for worker in workers:
        worker.join(20)

    assert ended(turn) == (TurnState.DONE, "")
    assert len(service.calls) == 1
    assert kinds_of(turn).count(EventKind.TURN_ENDED) == 1


ERRORS = [
    (fails(401, {"type": "error", "error": {"type": "authentication_error"}}), "refused", "AI_KEY_REJECTED", 0),
    (fails(400, {"error": {"message": "Your credit balance is too low"}}), "refused", "AI_QUOTA_EXHAUSTED", 0),
    (fails(429, {"error": {"type": "rate_limit_error"}}, {"Retry-After": "20"}), "failed", "AI_RATE_LIMITED", 0),
    (fails(529, {"error": {"type": "overloaded_error"}}), "failed", "AI_OVERLOADED", 0),
    (fails(413, {"error": {"type": "request_too_large"}}), "failed", "AI_PROMPT_TOO_LONG", 0),
    (fails(404, {"error": {"type": "not_found_error"}}), "failed", "AI_MODEL_UNKNOWN", 0),
    (fails(500, {"error": {"type": "api_error"}}), "failed", "AI_PROVIDER_ERROR", None),
    (answering(502, body=b"<html>502</html>"), "failed", "AI_PROVIDER_ERROR", None),
    (answering(200, body=b""), "failed", "AI_ANSWER_UNREADABLE", None),
    (streams("anthropic", ""), "failed", "AI_ANSWER_EMPTY", 5400),
    (streams("anthropic", "Half", stop="max_tokens"), "failed", "AI_CUT_SHORT", 5400),
    (streams("anthropic", "", stop="refusal"), "refused", "AI_REFUSED", 5400),
    (streams("anthropic", "```bakedbrie-attach\n{}\n```"), "failed", "AI_ANSWER_EMPTY", 5400),
]


@pytest.mark.requirement("C078", "I019")
@pytest.mark.parametrize(("script", "state", "code", "cost"), ERRORS)
def test_every_answer_ends_the_turn_with_its_code(
    paid_desk: Desk, service: FakeProvider, script: object, state: str, code: str, cost: int | None
) -> None:
    service.script(script)  # type: ignore[arg-type]  # the table above holds scripts
    turn = paid_desk.queue()

    run_turn(turn.pk)

    assert ended(turn) == (state, code)
    assert turn.message.endswith(("20 seconds.", ".", "later."))
    assert "<" not in turn.message
    assert ModelCall.objects.get(turn=turn).cost_micros == cost
    assert len(service.calls) == 1


def test_how_long_to_wait_is_said(paid_desk: Desk, service: FakeProvider) -> None:
    service.script(fails(429, {"error": {"type": "rate_limit_error"}}, {"Retry-After": "20"}))
    turn = paid_desk.queue()

    run_turn(turn.pk)

    turn.refresh_from_db()
    assert turn.message.endswith("It asks to wait 20 seconds.")


@pytest.mark.requirement("I009", "I010", "C078")
@pytest.mark.parametrize("status", [401, 402])
def test_a_bad_key_marks_the_account_and_nothing_else_pays(
    paid_desk: Desk, service: FakeProvider, account: AiAccount, status: int
) -> None:
    other = make_account(paid_desk.caller, service, label="Another", key="sk-other")
    bind_account(paid_desk.caller, account=other, scope=BindingScope.WORKSPACE)
    service.script(fails(status, {}))
    run_turn(paid_desk.queue().pk)
    second = paid_desk.queue(make_card(paid_desk.caller, paid_desk.board, title="Next"))

    run_turn(second.pk)

    account.refresh_from_db()
    assert (account.state, account.code) == (
        AccountState.UNAVAILABLE,
        "AI_KEY_REJECTED" if status == 401 else "AI_QUOTA_EXHAUSTED",
    )
    assert ended(second) == (TurnState.REFUSED, "AI_ACCOUNT_UNAVAILABLE")
    assert second.account_id == account.pk
    assert len(service.calls) == 1


@pytest.mark.requirement("I019", "C080")
@pytest.mark.parametrize(
    "script",
    [
        dropping,
        saying(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"),
        saying(b"nonsense\r\n\r\n"),
    ],
)
def test_a_lost_answer_is_unknown_and_never_sent_again(paid_desk: Desk, service: FakeProvider, script: object) -> None:
    service.script(script)  # type: ignore[arg-type]  # the table above holds scripts
    turn = paid_desk.queue()

    run_turn(turn.pk)
    run_turn(turn.pk)
    sweep_turns()

    call = ModelCall.objects.get(turn=turn)
    assert ended(turn) == (TurnState.UNKNOWN, "AI_OUTCOME_UNKNOWN")
    assert (call.cost_micros, call.answered_at) == (None, None)
    assert len(service.calls) == 1


def test_an_answer_that_takes_too_long_is_unknown(paid_desk: Desk, service: FakeProvider, settings: Settings) -> None:
    settings.TURN_DEADLINE_S = 0.3
    service.hang()
    turn = paid_desk.queue()

    run_turn(turn.pk)

    assert ended(turn) == (TurnState.UNKNOWN, "AI_OUTCOME_UNKNOWN")


def test_a_provider_that_cannot_be_reached_costs_nothing(paid_desk: Desk, account: AiAccount) -> None:
    AiAccount.objects.filter(pk=account.pk).update(base_url="https://nowhere.invalid")
    turn = paid_desk.queue()

    run_turn(turn.pk)

    call = ModelCall.objects.get(turn=turn)
    assert ended(turn) == (TurnState.FAILED, "AI_UNREACHABLE")
    assert (call.cost_micros, call.http_status) == (0, None)


@pytest.mark.django_db(transaction=True)
def test_a_stop_while_the_call_is_out_keeps_what_it_cost(paid_desk: Desk, service: FakeProvider) -> None:
    late = Late(streams("anthropic"))
    service.script(late)
    turn = paid_desk.queue()
    checked = len(service.requests)

    def work() -> None:
        try:
            run_turn(turn.pk)
        finally:
            connection.close()

    worker = threading.Thread(target=work)
    worker.start()
    service.wait_for_requests(checked + 1)
    request_stop(paid_desk.caller, turn=turn)
    assert ended(turn) == (TurnState.CANCEL_REQUESTED, "")
    late.answer_now()
    worker.join(20)

    call = ModelCall.objects.get(turn=turn)
    assert ended(turn) == (TurnState.CANCELED, "")
    assert (call.input_tokens, call.output_tokens, call.cost_micros) == (1200, 300, 5400)


def test_a_stop_whose_call_is_lost_ends_unknown(paid_desk: Desk, service: FakeProvider) -> None:
    turn = paid_desk.queue()
    run_turn(turn.pk)
    Turn.objects.filter(pk=turn.pk).update(state=TurnState.CANCEL_REQUESTED)
    turn.refresh_from_db()
    assert turn.attempt is not None

    settle_turn(turn.pk, turn.attempt, Ending(code=AiCode.OUTCOME_UNKNOWN))

    assert ended(turn) == (TurnState.UNKNOWN, "AI_OUTCOME_UNKNOWN")


def test_blocks_are_left_out_and_named(paid_desk: Desk, service: FakeProvider) -> None:
    service.reply('# Done\n\n```bakedbrie-connection-request\n{"connection": "fal"}\n```')
    turn = paid_desk.queue()

    run_turn(turn.pk)

    turn.refresh_from_db()
    assert (turn.state, turn.reply) == (TurnState.DONE, "# Done")
    assert turn.notes == [{"code": "BLOCK_IGNORED", "block": "connection-request"}]


def test_the_end_rings_for_what_follows_in_its_own_transaction(paid_desk: Desk) -> None:
    turn = paid_desk.queue()
    connection.run_on_commit.clear()

    run_turn(turn.pk)

    assert rung() == [(Job.TURN_FINISH, (turn.pk,))]


def test_a_turn_takes_few_statements(paid_desk: Desk) -> None:
    turn = paid_desk.queue()

    with CaptureQueriesContext(connection) as seen:
        run_turn(turn.pk)

    statements = [query["sql"] for query in seen if "SAVEPOINT" not in query["sql"]]
    assert len(statements) == 12


def test_the_prompt_of_the_call_is_the_one_the_turn_kept(paid_desk: Desk, service: FakeProvider) -> None:
    turn = paid_desk.queue()

    run_turn(turn.pk)

    turn.refresh_from_db()
    body = json.loads(service.calls[0].body)
    assert "Name one strength of each." in body["messages"][0]["content"]
    assert len(turn.prompt_sha256) == 64
    assert [part["kind"] for part in turn.prompt["parts"]] == ["instructions", "card"]
    assert body["max_tokens"] == 16_000
