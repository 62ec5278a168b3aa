"""Who pays: the agent's account, else its board's, else the workspace's, and never another one."""

from __future__ import annotations

import pytest
from django.db import connection
from pytest_django import Settings

from agents.calls.hosted import run_turn
from agents.models import AiAccount, AiBinding
from agents.selectors import payer_for
from agents.services.accounts import remove_account
from agents.services.agents import retire
from agents.services.bindings import bind_account, unbind_account
from agents.states import BindingScope
from bakedbrie.lib.jobs import Job
from bakedbrie.lib.refusals import Refused
from boards.services.members import add_board_member
from tests.agents.conftest import Desk, rung
from tests.factories.agents import make_account, make_agent
from tests.factories.boards import make_board
from tests.support.fake_provider import FakeProvider
from workspaces.caller import Caller
from workspaces.models import AuditEntry

pytestmark = pytest.mark.django_db


def bind(caller: Caller, desk: Desk, account: AiAccount, scope: str) -> AiBinding:
    return bind_account(
        caller,
        account=account,
        scope=BindingScope(scope),
        board=desk.board if scope == "board" else None,
        agent=desk.fresh_agent() if scope == "agent" else None,
    )


@pytest.mark.requirement("I004", "I005", "I007")
def test_the_agents_account_wins_then_the_boards_then_the_workspaces(desk: Desk, service: FakeProvider) -> None:
    accounts = {scope: make_account(desk.caller, service, label=scope) for scope in ("workspace", "board", "agent")}
    payers = [payer_for(desk.agent)]

    for scope, account in accounts.items():
        bind(desk.caller, desk, account, scope)
        payers.append(payer_for(desk.agent))

    assert payers == [None, accounts["workspace"], accounts["board"], accounts["agent"]]


def test_other_agents_boards_and_workspaces_are_not_paid_for(desk: Desk, account: AiAccount, charlie: Caller) -> None:
    sibling = make_agent(desk.caller, desk.board, name="Sibling")
    stranger = make_agent(charlie, make_board(charlie))
    neighbour = make_agent(desk.caller, make_board(desk.caller, name="Other"))

    bind(desk.caller, desk, account, "agent")
    assert [payer_for(agent) for agent in (sibling, neighbour, stranger)] == [None, None, None]
    bind(desk.caller, desk, account, "board")
    assert [payer_for(agent) for agent in (sibling, neighbour, stranger)] == [account, None, None]
    bind(desk.caller, desk, account, "workspace")
    assert [payer_for(agent) for agent in (sibling, neighbour, stranger)] == [account, account, None]


def test_binding_again_replaces_the_account(desk: Desk, account: AiAccount, service: FakeProvider) -> None:
    other = make_account(desk.caller, service, label="Other")
    bind(desk.caller, desk, account, "board")

    bind(desk.caller, desk, other, "board")

    assert AiBinding.objects.get().account_id == other.pk


@pytest.mark.requirement("I009")
def test_a_removed_account_is_replaced_by_nothing(desk: Desk, account: AiAccount, service: FakeProvider) -> None:
    other = make_account(desk.caller, service, label="Other")
    bind(desk.caller, desk, other, "workspace")
    bind(desk.caller, desk, account, "board")

    remove_account(desk.caller, account=account)

    assert payer_for(desk.agent) == account


@pytest.mark.requirement("A024", "I006")
def test_an_agents_binding_asks_for_publishing_again(desk: Desk, account: AiAccount) -> None:
    draft = make_agent(desk.caller, desk.board, name="Drafted", is_published=False)
    bind(desk.caller, desk, account, "board")
    assert desk.fresh_agent().needs_publish is False

    bind(desk.caller, desk, account, "agent")
    bind_account(desk.caller, account=account, scope=BindingScope.AGENT, agent=draft)

    assert desk.fresh_agent().needs_publish is True
    assert draft.needs_publish is False


@pytest.mark.parametrize(
    ("scope", "who", "code"),
    [
        ("workspace", "amir", None),
        ("workspace", "mia", "FORBIDDEN"),
        ("board", "amir", None),
        ("board", "mia", "NOT_BOARD_MANAGER"),
        ("agent", "amir", None),
        ("agent", "mia", "NOT_BOARD_MANAGER"),
        ("workspace", "vic", "FORBIDDEN"),
        ("board", "vic", "FORBIDDEN"),
    ],
)
def test_who_may_bind(
    desk: Desk, account: AiAccount, request: pytest.FixtureRequest, scope: str, who: str, code: str | None
) -> None:
    caller: Caller = request.getfixturevalue(who)
    add_board_member(desk.caller, board=desk.board, member=caller.member)

    if code is None:
        bind(caller, desk, account, scope)
    else:
        with pytest.raises(Refused) as refused:
            bind(caller, desk, account, scope)
        assert refused.value.code == code

    assert AiBinding.objects.count() == (1 if code is None else 0)


def test_a_board_manager_binds_board_and_agent(desk: Desk, account: AiAccount, mia: Caller) -> None:
    add_board_member(desk.caller, board=desk.board, member=mia.member, is_manager=True)

    bind(mia, desk, account, "board")
    bind(mia, desk, account, "agent")

    assert AiBinding.objects.count() == 2


@pytest.mark.requirement("I010")
def test_an_account_that_cannot_be_used_is_not_bound(desk: Desk, account: AiAccount) -> None:
    AiAccount.objects.filter(pk=account.pk).update(state="unavailable", code="AI_KEY_REJECTED")
    account.refresh_from_db()

    with pytest.raises(Refused) as refused:
        bind(desk.caller, desk, account, "board")

    assert (refused.value.code, refused.value.details) == ("AI_ACCOUNT_UNAVAILABLE", {"reason": "AI_KEY_REJECTED"})
    assert AiBinding.objects.count() == 0


def test_a_retired_agent_is_not_bound(desk: Desk, account: AiAccount) -> None:
    retire(desk.caller, agent=desk.agent)

    with pytest.raises(Refused) as refused:
        bind(desk.caller, desk, account, "agent")

    assert refused.value.code == "AGENT_RETIRED"


def test_a_binding_rings_and_is_audited(desk: Desk, account: AiAccount) -> None:
    connection.run_on_commit.clear()

    bind(desk.caller, desk, account, "workspace")

    entry = AuditEntry.objects.get(verb="ai_account.bound")
    assert rung() == [(Job.WAKE_TURNS, (desk.caller.workspace.pk,))]
    assert entry.data == {
        "account": str(account.pk),
        "label": account.label,
        "scope": "workspace",
        "target": str(desk.caller.workspace.pk),
    }


@pytest.mark.requirement("I008")
def test_a_key_of_the_servers_own_pays_for_nothing(
    desk: Desk, service: FakeProvider, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "sk-of-the-server")
    turn = desk.queue()

    run_turn(turn.pk)

    turn.refresh_from_db()
    assert (turn.state, turn.reason, service.requests) == ("waiting", "AI_ACCOUNT_REQUIRED", [])
    assert not [name for name in dir(settings) if "ANTHROPIC" in name or "OPENAI" in name or "API_KEY" in name]


@pytest.mark.requirement("I005", "I006")
def test_without_its_binding_the_next_one_pays_and_an_agent_that_works_is_published_again(
    desk: Desk, service: FakeProvider
) -> None:
    accounts = {scope: make_account(desk.caller, service, label=scope) for scope in ("workspace", "board", "agent")}
    bindings = {scope: bind(desk.caller, desk, account, scope) for scope, account in accounts.items()}
    queued = rung().count((Job.WAKE_TURNS, (desk.caller.workspace.pk,)))
    payers = []

    for scope in ("agent", "board", "workspace"):
        unbind_account(desk.caller, binding=bindings[scope])
        payers.append(payer_for(desk.agent))

    assert payers == [accounts["board"], accounts["workspace"], None]
    assert desk.fresh_agent().needs_publish
    assert rung().count((Job.WAKE_TURNS, (desk.caller.workspace.pk,))) == queued + 3


@pytest.mark.parametrize("scope", ["workspace", "board", "agent"])
def test_who_may_not_bind_there_does_not_unbind_either(desk: Desk, account: AiAccount, mia: Caller, scope: str) -> None:
    add_board_member(desk.caller, board=desk.board, member=mia.member)
    binding = bind(desk.caller, desk, account, scope)

    with pytest.raises(Refused) as refused:
        unbind_account(mia, binding=binding)

    assert refused.value.code == ("FORBIDDEN" if scope == "workspace" else "NOT_BOARD_MANAGER")
    assert AiBinding.objects.get() == binding


def test_an_account_that_was_bound_meanwhile_goes_on_paying(
    desk: Desk, account: AiAccount, service: FakeProvider
) -> None:
    seen = bind_account(desk.caller, account=account, scope=BindingScope.BOARD, board=desk.board)
    other = make_account(desk.caller, service, label="Other")
    bind_account(desk.caller, account=other, scope=BindingScope.BOARD, board=desk.board)

    with pytest.raises(Refused) as refused:
        unbind_account(desk.caller, binding=seen)

    assert refused.value.code == "NOT_FOUND"
    assert AiBinding.objects.get(board=desk.board).account == other
    assert not AuditEntry.objects.filter(verb="ai_account.unbound").exists()
