"""The admin: agents and accounts change through services, turns can only be looked at and rung for."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from agents.models import AiAccount, Turn
from agents.states import AccountState, AgentState
from bakedbrie.lib.jobs import Job
from tests.agents.conftest import Desk, rung
from tests.support.canary import KEY
from tests.support.cast import browser

pytestmark = pytest.mark.django_db

PAGES = ["agent", "aiaccount", "agentversion", "aibinding", "turn", "modelcall"]


@pytest.fixture
def operator(paid_desk: Desk) -> Client:
    user = paid_desk.caller.member.user
    user.is_staff = user.is_superuser = True
    user.save()
    return browser(paid_desk.caller)


def act(client: Client, model: str, action: str, pk: object) -> str:
    url = reverse(f"admin:agents_{model}_changelist")
    answer = client.post(url, {"action": action, "_selected_action": [str(pk)]}, follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize("model", PAGES)
def test_every_page_opens_and_none_shows_a_key(operator: Client, paid_desk: Desk, model: str) -> None:
    paid_desk.queue()

    listed = operator.get(reverse(f"admin:agents_{model}_changelist"))

    assert listed.status_code == 200
    assert KEY not in listed.content.decode()
    assert operator.get(reverse(f"admin:agents_{model}_add")).status_code == 403


def test_an_agent_is_edited_as_a_draft(operator: Client, paid_desk: Desk) -> None:
    url = reverse("admin:agents_agent_change", args=[paid_desk.agent.pk])
    shown = operator.get(url).content.decode()

    answer = operator.post(url, {"name": "Researcher", "instructions": "Shorter.", "max_turns": "3"})

    agent = paid_desk.fresh_agent()
    assert "Compare what the brief names" in shown
    assert answer.status_code == 302
    assert agent.draft is not None
    assert (agent.draft.n, agent.draft.instructions, agent.draft.max_turns) == (2, "Shorter.", 3)
    assert (agent.published_id, agent.published and agent.published.max_turns) == (paid_desk.agent.published_id, 50)


@pytest.mark.requirement("C088")
def test_the_admin_takes_no_name_for_an_agent_that_the_tools_refuse(operator: Client, paid_desk: Desk) -> None:
    url = reverse("admin:agents_agent_change", args=[paid_desk.agent.pk])

    answer = operator.post(url, {"name": "Agent\u202egpj", "instructions": "Shorter.", "max_turns": "3"}, follow=True)

    agent = paid_desk.fresh_agent()
    assert "name:" in str(next(iter(answer.context["messages"])))
    assert (agent.draft, agent.revision) == (None, paid_desk.agent.revision)


def test_an_agent_is_paused_and_resumed(operator: Client, paid_desk: Desk) -> None:
    act(operator, "agent", "pause", paid_desk.agent.pk)
    paused = paid_desk.fresh_agent().state
    again = act(operator, "agent", "pause", paid_desk.agent.pk)

    act(operator, "agent", "resume", paid_desk.agent.pk)

    assert (paused, paid_desk.fresh_agent().state) == (AgentState.PAUSED, AgentState.PUBLISHED)
    assert "The agent is not in a state that allows this." in again


def test_an_account_is_edited_and_removed(operator: Client, account: AiAccount) -> None:
    url = reverse("admin:agents_aiaccount_change", args=[account.pk])
    form = {"label": "Renamed", "model": account.model, "context_tokens": "9000", "answer_tokens": "900"}

    edited = operator.post(url, form)
    refused = operator.post(url, {**form, "answer_tokens": "8000"}, follow=True)
    account.refresh_from_db()
    kept = (account.label, account.context_tokens, account.answer_tokens)
    act(operator, "aiaccount", "remove", account.pk)

    account.refresh_from_db()
    assert edited.status_code == 302
    assert "Some of the input is not right." in refused.content.decode()
    assert kept == ("Renamed", 9000, 900)
    assert account.state == AccountState.REMOVED


def test_a_turn_is_rung_for_and_never_edited(operator: Client, paid_desk: Desk) -> None:
    turn = paid_desk.queue()
    connection.run_on_commit.clear()

    told = act(operator, "turn", "ring", turn.pk)
    url = reverse("admin:agents_turn_change", args=[turn.pk])

    assert "Rang for 1 of 1 turns" in told
    assert rung() == [(Job.TURN_RUN, (turn.pk,))]
    assert operator.get(url).status_code == 200
    assert operator.post(url, {"state": "done"}).status_code == 403
    assert Turn.objects.get().state == "queued"
