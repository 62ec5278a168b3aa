"""A service that does not take `stream_options`: the turn says so, and its account never sends them again."""

from __future__ import annotations

from typing import Any

import pytest

from agents.calls.hosted import run_turn
from agents.models import AiAccount
from agents.providers import KINDS
from agents.providers.outcomes import AiCode
from agents.services.bindings import bind_account
from agents.states import AccountState, BindingScope, Provider, TurnState
from bakedbrie.lib.outbound.messages import Answer
from tests.agents.conftest import Desk
from tests.factories.agents import make_account
from tests.factories.boards import make_card
from tests.support.fake_provider import FakeProvider, fails

EXTRA = {"type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}
REFUSALS = [
    (422, {"object": "error", "message": {"detail": [EXTRA]}, "type": "invalid_request_error", "code": None}),
    (400, {"error": {"message": "Unrecognized request argument supplied: stream_options", "type": "x"}}),
]


@pytest.mark.parametrize(("status", "body"), REFUSALS)
def test_only_a_compatible_service_is_read_as_refusing_the_option(status: int, body: dict[str, Any]) -> None:
    answer = Answer(status=status, body=str(body).encode())

    codes = {wire: KINDS[wire].read(answer).code for wire in KINDS}

    assert codes == {
        "anthropic": AiCode.REQUEST_INVALID,
        "openai": AiCode.REQUEST_INVALID,
        "openai_compatible": AiCode.COUNTS_REFUSED,
    }


def test_another_error_that_names_the_option_keeps_its_code() -> None:
    answers = [Answer(status=status, body=b'{"error": {"message": "stream_options"}}') for status in (401, 429, 500)]

    codes = [KINDS["openai_compatible"].read(answer).code for answer in answers]

    assert codes == [AiCode.KEY_REJECTED, AiCode.RATE_LIMITED, AiCode.PROVIDER_ERROR]


@pytest.mark.django_db
@pytest.mark.parametrize(("status", "body"), REFUSALS)
def test_the_account_remembers_and_the_next_turn_goes_without_it(
    desk: Desk, service: FakeProvider, status: int, body: dict[str, Any]
) -> None:
    account = make_account(desk.caller, service, provider=Provider.OPENAI_COMPATIBLE)
    bind_account(desk.caller, account=account, scope=BindingScope.BOARD, board=desk.board)
    service.script(fails(status, body))
    first, second = desk.queue(), desk.queue(make_card(desk.caller, desk.board, title="Next"))

    run_turn(first.pk)
    sent = len(service.calls)
    run_turn(second.pk)

    first.refresh_from_db()
    second.refresh_from_db()
    kept = AiAccount.objects.get(pk=account.pk)
    asked = [call.json() for call in service.calls]
    assert (first.state, first.code, sent) == (TurnState.FAILED, "AI_COUNTS_REFUSED", 1)
    assert (kept.asks_for_counts, kept.state) == (False, AccountState.READY)
    assert (second.state, second.reply) == (TurnState.DONE, "Finished work.")
    assert [isinstance(one, dict) and one.get("stream_options") for one in asked] == [{"include_usage": True}, None]
