"""The admin turns rules on and off through their services, and shows their runs."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.test import Client

from boards.models import BoardEvent
from boards.services.stages import add_stage
from tests.factories.boards import make_board
from tests.factories.workflows import Line, make_line
from tests.factories.workspaces import PASSWORD
from tests.support.cast import browser
from tests.support.fake_provider import FakeProvider
from workflows.models import Rule, RuleDraft
from workflows.services.rules import pause_rule, write_rule_draft
from workflows.services.setup import BoardPlan, setup_board
from workspaces.caller import Caller
from workspaces.models import User

pytestmark = pytest.mark.django_db


@pytest.fixture
def line(alice: Caller, provider: FakeProvider) -> Line:
    return make_line(alice, provider)


@pytest.fixture
def owner(line: Line) -> Client:
    return browser(line.caller)


@pytest.fixture
def operator(db: None) -> Client:
    """Runs the server and belongs to no workspace."""
    client = Client()
    client.force_login(User.objects.create_superuser("root@example.com", PASSWORD, name="Root"))
    return client


def act(client: Client, action: str, rule: Rule) -> None:
    given = {"action": action, "_selected_action": [str(rule.pk)]}
    assert client.post("/admin/workflows/rule/", given).status_code == 302


def test_every_model_has_a_page_that_opens_and_cannot_be_written(line: Line, operator: Client) -> None:
    line.start()
    write_rule_draft(
        line.caller, board=line.board, rule=line.rule, from_stage=line.todo, agent=line.agent, to_stage=line.done
    )
    setup_board(line.caller, plan=BoardPlan(name="Planned", columns=["Review"]))

    for model in apps.get_app_config("workflows").get_models():
        path = f"/admin/workflows/{model._meta.model_name}/"
        row = model._default_manager.first()
        assert row is not None
        assert operator.get(path).status_code == 200
        assert operator.get(f"{path}{row.pk}/change/").status_code == 200
        assert operator.post(f"{path}{row.pk}/change/", {}).status_code == 403
        assert operator.get(f"{path}add/").status_code == 403


def test_a_rule_is_paused_and_published_from_the_list(line: Line, owner: Client) -> None:
    act(owner, "pause", line.rule)
    paused = Rule.objects.get().state
    act(owner, "publish", line.rule)

    assert (paused, Rule.objects.get().state, Rule.objects.get().version) == ("paused", "published", 2)


def test_an_operator_pauses_a_rule_and_does_not_publish_it(line: Line, operator: Client) -> None:
    act(operator, "pause", line.rule)
    by = BoardEvent.objects.latest("pk").actor.name
    act(operator, "publish", line.rule)

    assert (Rule.objects.get().state, by) == ("paused", "Operator root@example.com")


def test_an_edited_rule_is_a_draft_of_its_own_board(line: Line, owner: Client, charlie: Caller) -> None:
    path = f"/admin/workflows/rule/{line.rule.pk}/change/"
    other = add_stage(line.caller, board=line.board, name="Elsewhere")
    foreign = add_stage(charlie, board=make_board(charlie), name="Cellar")
    parts = {"from_stage": str(line.todo.pk), "agent": str(line.agent.pk), "review": "folder", "on_approval": "finish"}

    shown = owner.get(path).content.decode()
    refused = owner.post(path, {**parts, "to_stage": str(foreign.pk)})
    written = owner.post(path, {**parts, "to_stage": str(other.pk)})
    same = owner.post(path, {**parts, "to_stage": str(line.todo.pk)})

    draft = RuleDraft.objects.get()
    assert "Cellar" not in shown
    assert list(refused.context["adminform"].form.errors) == ["to_stage"]
    assert (written.status_code, draft.to_stage, Rule.objects.get().to_stage) == (302, other, line.done)
    assert (draft.on_approval, Rule.objects.get().on_approval) == ("finish", "deliver")
    assert "another column" in same.context["adminform"].form.errors["__all__"][0]


def test_what_a_service_refuses_is_shown_and_changes_nothing(line: Line, operator: Client) -> None:
    pause_rule(line.caller, rule=line.rule)

    answer = operator.post(
        "/admin/workflows/rule/", {"action": "pause", "_selected_action": [str(line.rule.pk)]}, follow=True
    )

    assert "Only a published rule can be paused." in answer.content.decode()
    assert Rule.objects.get().state == "paused"
