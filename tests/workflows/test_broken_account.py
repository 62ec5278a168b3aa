"""When the account that pays breaks: everybody is told, nothing else pays, and a check mends it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agents.models import AiAccount, Turn
from agents.services.bindings import bind_account
from agents.states import BindingScope, TurnState
from boards.states import Badge
from tests.factories.agents import make_account
from tests.factories.boards import make_card
from tests.factories.workflows import Line, make_line
from tests.support.cast import api, browser
from tests.support.fake_provider import FakeProvider, fails
from tests.support.jobs import Ran
from workflows.services.turns import run_again
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db

Drain = Callable[..., Ran]
NO_KEY = fails(401, {"type": "error", "error": {"type": "authentication_error", "message": "no"}})
NO_CREDIT = fails(402, {"type": "error", "error": {"type": "billing_error", "message": "no"}})


@pytest.fixture
def line(alice: Caller, provider: FakeProvider) -> Line:
    """The board's own account pays; a second, healthy one pays for the rest of the workspace."""
    line = make_line(alice, provider)
    spare = make_account(alice, provider, label="Spare", key="sk-spare")
    bind_account(alice, account=spare, scope=BindingScope.WORKSPACE)
    return line


def tool(caller: Caller, name: str, **arguments: object) -> Any:
    answer = api(caller).post(f"/api/v1/tools/{name}", arguments, format="json").json()
    return answer["untrusted_data"]


def troubles(caller: Caller) -> dict[str, str]:
    return {one["label"]: one["trouble"] for one in tool(caller, "list_ai_accounts")["ai_accounts"]}


def on_the_home_page(caller: Caller) -> list[str]:
    answer = browser(caller).get("/")
    accounts = [need.account for need in answer.context["page"].needs if need.account]
    assert all(f'data-need="account-{account.pk}"' in answer.content.decode() for account in accounts)
    return [account.label for account in accounts]


@pytest.mark.requirement("I009", "I010", "I007")
@pytest.mark.parametrize(("script", "code"), [(NO_KEY, "AI_KEY_REJECTED"), (NO_CREDIT, "AI_QUOTA_EXHAUSTED")])
def test_a_broken_account_is_told_everywhere_pays_for_nothing_and_is_mended_by_a_check(
    line: Line, drain_jobs: Drain, script: Callable[..., bool], code: str
) -> None:
    assert on_the_home_page(line.caller) == []
    line.provider.script(script)
    first = line.start()
    drain_jobs()
    card = make_card(line.caller, line.board, title="Next")
    line.card = card
    second = line.start()
    drain_jobs()

    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.state, first.code) == (TurnState.REFUSED, code)
    assert (second.state, second.code) == (TurnState.REFUSED, "AI_ACCOUNT_UNAVAILABLE")
    assert code in second.message
    assert (first.account_id, second.account_id) == (line.account_pk, line.account_pk)
    assert [call.headers["x-api-key"] == "sk-spare" for call in line.provider.calls] == [False]
    assert (line.fresh_card().badge, line.fresh_card().badge_reason) == (Badge.BLOCKED, "AI_ACCOUNT_UNAVAILABLE")
    assert troubles(line.caller) == {"Bakery key": code, "Spare": ""}
    assert on_the_home_page(line.caller) == ["Bakery key"]

    checked = tool(line.caller, "check_ai_account", account_id=str(line.account_pk))
    run_again(line.caller, turn=second)
    drain_jobs()

    assert (checked["ai_account"]["state"], checked["ai_account"]["trouble"]) == ("ready", "")
    assert troubles(line.caller) == {"Bakery key": "", "Spare": ""}
    assert on_the_home_page(line.caller) == []
    assert line.fresh_card().stage_id == line.done.pk
    assert Turn.objects.latest("pk").account_id == line.account_pk


@pytest.mark.requirement("I009")
def test_a_check_that_fails_again_leaves_the_account_broken(line: Line, drain_jobs: Drain) -> None:
    line.provider.script(NO_KEY)
    turn = line.start()
    drain_jobs()
    line.provider.script(NO_KEY)

    checked = tool(line.caller, "check_ai_account", account_id=str(line.account_pk))
    run_again(line.caller, turn=turn)
    drain_jobs()

    assert checked["ai_account"]["trouble"] == "AI_KEY_REJECTED"
    assert line.fresh_card().badge_reason == "AI_ACCOUNT_UNAVAILABLE"
    assert len(line.provider.calls) == 1


@pytest.mark.requirement("I009", "I005")
def test_another_account_pays_once_a_person_binds_it(line: Line, drain_jobs: Drain) -> None:
    line.provider.script(NO_KEY)
    turn = line.start()
    drain_jobs()
    spare = AiAccount.objects.get(label="Spare")

    tool(line.caller, "bind_ai_account", account_id=str(spare.pk), scope="board", scope_id=str(line.board.pk))
    run_again(line.caller, turn=turn)
    drain_jobs()

    assert line.fresh_card().stage_id == line.done.pk
    assert line.provider.calls[-1].headers["x-api-key"] == "sk-spare"
    assert on_the_home_page(line.caller) == []


@pytest.mark.requirement("I010")
def test_a_broken_account_of_another_workspace_is_not_shown(line: Line, charlie: Caller, drain_jobs: Drain) -> None:
    line.provider.script(NO_KEY)
    line.start()
    drain_jobs()

    assert on_the_home_page(charlie) == []
