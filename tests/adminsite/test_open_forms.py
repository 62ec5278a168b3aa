"""Forms that stood open while somebody else changed the row: what was not touched stays as the other one left it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from agents.services.agents import write_draft
from boards.services.cards import edit_card
from tests.factories.agents import make_agent
from tests.factories.boards import make_board, make_card
from tests.factories.workflows import make_line
from tests.support.cast import browser
from tests.support.fake_provider import FakeProvider
from workflows.models import RuleDraft
from workflows.services.rules import write_rule_draft
from workspaces.caller import Caller
from workspaces.models import Workspace
from workspaces.services.capabilities import switch_capability
from workspaces.services.dispatch import pause_dispatch
from workspaces.services.users import set_active

CHANGED = "Somebody changed this since the page was opened. Open it again and look."


def opened(client: Client, page: str) -> dict[str, Any]:
    """Return what a browser sends when the form is saved as it was opened."""
    sent: dict[str, Any] = {}
    for field in client.get(page).context["adminform"].form:
        value = "" if field.value() is None else field.value()
        value = value.replace("\n", "\r\n") if isinstance(value, str) else value
        if value is not False:
            sent[field.html_name] = value
        sent[field.html_initial_name] = value
    return sent


def change_page(name: str, pk: object) -> str:
    return reverse(f"admin:{name}_change", args=[pk])


def test_a_workspace_that_was_paused_meanwhile_stays_paused(alice: Caller) -> None:
    client, page = browser(alice), change_page("workspaces_workspace", alice.workspace.pk)
    form = opened(client, page)
    pause_dispatch(alice, reason="Fire")
    switch_capability(alice, name="media", is_on=False)

    client.post(page, {**form, "name": "Alice & Co"})

    workspace = Workspace.objects.get(pk=alice.workspace.pk)
    assert (workspace.name, workspace.dispatch_paused, workspace.dispatch_reason) == ("Alice & Co", True, "Fire")
    assert "media" not in workspace.capabilities


def test_an_account_that_was_switched_off_meanwhile_stays_off(operator: Client, alice: Caller, mia: Caller) -> None:
    user, page = mia.member.user, change_page("workspaces_user", mia.member.user_id)
    form = opened(operator, page)
    set_active(user, is_active=False)

    operator.post(page, {**form, "name": "Mia B."})

    user.refresh_from_db()
    assert (user.name, user.is_active) == ("Mia B.", False)


def test_two_who_change_one_field_are_told(alice: Caller) -> None:
    card = make_card(alice, make_board(alice), brief="First line\nsecond line")
    client, page = browser(alice), change_page("boards_card", card.pk)
    form = opened(client, page)
    edit_card(alice, card=card, expected_revision=None, brief="An hour of work")

    renamed = client.post(page, {**form, "title": "Exports"})
    rewritten = client.post(page, {**form, "title": "Exports", "brief": "Mine"})

    card.refresh_from_db()
    assert (renamed.status_code, card.title, card.brief) == (302, "Exports", "An hour of work")
    assert rewritten.context["adminform"].form.errors["brief"] == [CHANGED]


def test_saving_a_form_as_it_was_opened_changes_nothing(alice: Caller, provider: FakeProvider) -> None:
    line = make_line(alice, provider)
    client = browser(alice)
    rows = {
        "workspaces_workspace": alice.workspace,
        "workspaces_member": alice.member,
        "boards_board": line.board,
        "boards_stage": line.todo,
        "agents_agent": line.agent,
        "agents_aiaccount": line.account,
        "workflows_rule": line.rule,
    }
    pages = [change_page(name, row.pk) for name, row in rows.items() if row]
    before = [opened(client, page) for page in pages]

    codes = {client.post(page, form).status_code for page, form in zip(pages, before, strict=True)}

    assert codes == {302}
    assert [opened(client, page) for page in pages] == before


def test_the_draft_of_an_agent_keeps_what_was_not_touched(alice: Caller) -> None:
    board = make_board(alice)
    agent = make_agent(alice, board)
    client, page = browser(alice), change_page("agents_agent", agent.pk)
    form = opened(client, page)
    write_draft(alice, board=board, agent=agent, instructions="Write short sentences.")

    client.post(page, {**form, "name": "Ada"})

    again = opened(client, page)
    assert (again["name"], again["instructions"]) == ("Ada", "Write short sentences.")


def test_a_rule_is_drafted_from_what_was_seen_or_not_at_all(alice: Caller, provider: FakeProvider) -> None:
    line = make_line(alice, provider)
    client, page = browser(alice), change_page("workflows_rule", line.rule.pk)
    form = opened(client, page)
    other = make_agent(alice, line.board, name="Other")
    write_rule_draft(alice, board=line.board, rule=line.rule, from_stage=line.doing, agent=other, to_stage=line.done)

    answer = client.post(page, {**form, "to_stage": str(line.todo.pk)})

    draft = RuleDraft.objects.get(rule=line.rule)
    assert answer.context["adminform"].form.errors["agent"] == [CHANGED]
    assert (draft.agent_id, draft.to_stage_id) == (other.pk, line.done.pk)


@pytest.mark.parametrize("how", ["regex", "range", "gt"])
def test_a_list_is_asked_only_as_its_page_asks(operator: Client, how: str) -> None:
    page = reverse("admin:agents_turn_changelist")

    answers = [operator.get(page, {f"state__{asked}": "("}).status_code for asked in (how, "exact")]

    assert answers == [400, 200]
