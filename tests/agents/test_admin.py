"""The admin: agents and accounts change through services, turns can only be looked at and rung for."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from agents.models import AiAccount, Turn
from agents.states import AccountState, AgentState
from bakedbrie.lib.jobs import Job
from boards.models import BoardEvent
from tests.agents.conftest import Desk, rung
from tests.support.canary import KEY
from tests.support.cast import browser
from workspaces.models import User
from workspaces.services.capabilities import switch_capability

pytestmark = pytest.mark.django_db

PAGES = ["agent", "aiaccount", "agentversion", "aibinding", "turn", "modelcall"]


@pytest.fixture
def operator(paid_desk: Desk) -> Client:
    user = paid_desk.caller.member.user
    user.is_staff = user.is_superuser = True
    user.save()
    return browser(paid_desk.caller)


def said(answer: Any) -> dict[str, list[str]]:
    return {field: list(texts) for field, texts in answer.context["adminform"].form.errors.items()}


def act(client: Client, model: str, action: str, pk: object, **more: str) -> str:
    url = reverse(f"admin:agents_{model}_changelist")
    answer = client.post(url, {"action": action, "_selected_action": [str(pk)], **more}, follow=True)
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

    answer = operator.post(url, {"name": "Agent\u202egpj", "instructions": "Shorter.", "max_turns": "900"})

    agent = paid_desk.fresh_agent()
    assert sorted(answer.context["adminform"].form.errors) == ["max_turns", "name"]
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
    wrong = {**form, "label": "\u200b", "model": "a\u202eb", "answer_tokens": "x", "monthly_cap_usd": "1.5e3"}

    edited = operator.post(url, form)
    refused = operator.post(url, {**form, "answer_tokens": "8000"})
    misread = operator.post(url, wrong)
    account.refresh_from_db()
    kept = (account.label, account.context_tokens, account.answer_tokens)
    act(operator, "aiaccount", "remove", account.pk, confirmed="yes")

    account.refresh_from_db()
    assert edited.status_code == 302
    assert said(refused) == {"answer_tokens": ["may be at most half of context_tokens"]}
    assert sorted(said(misread)) == ["answer_tokens", "label", "model", "monthly_cap_usd"]
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


def test_a_cap_is_set_changed_and_taken_away(operator: Client, account: AiAccount) -> None:
    url = reverse("admin:agents_aiaccount_change", args=[account.pk])
    form = {"label": account.label, "model": account.model, "context_tokens": "9000", "answer_tokens": "900"}
    caps = []

    for cap in ("20", "7.5", ""):
        operator.post(url, {**form, "monthly_cap_usd": cap})
        account.refresh_from_db()
        caps.append(account.monthly_cap_micros)

    assert caps == [20_000_000, 7_500_000, None]


def test_a_change_needs_the_capability_that_the_tools_need(operator: Client, paid_desk: Desk) -> None:
    switch_capability(paid_desk.caller, name="agents", is_on=False)
    url = reverse("admin:agents_agent_change", args=[paid_desk.agent.pk])

    answer = operator.post(url, {"name": "Other", "instructions": "Shorter.", "max_turns": "3"})

    assert "This capability is off" in said(answer)["__all__"][0]
    assert paid_desk.fresh_agent().draft is None


def test_an_operator_of_no_workspace_pauses_an_agent_and_does_not_resume_it(paid_desk: Desk) -> None:
    client = Client()
    client.force_login(User.objects.create_superuser("root@example.com", "a long password", name="Root"))

    act(client, "agent", "pause", paid_desk.agent.pk)
    refused = act(client, "agent", "resume", paid_desk.agent.pk)

    assert paid_desk.fresh_agent().state == AgentState.PAUSED
    assert BoardEvent.objects.latest("pk").actor.name == "Operator root@example.com"
    assert "looks and stops" in refused


@pytest.mark.parametrize(("chosen", "count"), [("out", 0), ("ended", 1), ("any", 1)])
def test_turns_that_hold_their_card_are_found(operator: Client, paid_desk: Desk, chosen: str, count: int) -> None:
    turn = paid_desk.queue()
    Turn.objects.filter(pk=turn.pk).update(state="unknown")

    page = operator.get(reverse("admin:agents_turn_changelist"), {"open": chosen})

    assert page.context["cl"].result_count == count
