"""The admin turns rules on and off through their services, and shows their runs."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.test import Client

from tests.factories.workflows import Line, make_line
from tests.factories.workspaces import make_user
from tests.support.fake_provider import FakeProvider
from workflows.models import Rule
from workflows.services.rules import pause_rule, write_rule_draft
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db


@pytest.fixture
def line(alice: Caller, provider: FakeProvider) -> Line:
    return make_line(alice, provider)


@pytest.fixture
def operator(db: None) -> Client:
    user = make_user("Otto Operator")
    user.is_staff = user.is_superuser = True
    user.save(update_fields=["is_staff", "is_superuser"])
    client = Client()
    client.force_login(user)
    return client


def act(client: Client, action: str, rule: Rule) -> None:
    given = {"action": action, "_selected_action": [str(rule.pk)]}
    assert client.post("/admin/workflows/rule/", given).status_code == 302


def test_every_model_has_a_page_that_opens_and_cannot_be_written(line: Line, operator: Client) -> None:
    line.start()
    write_rule_draft(
        line.caller, board=line.board, rule=line.rule, from_stage=line.todo, agent=line.agent, to_stage=line.done
    )

    for model in apps.get_app_config("workflows").get_models():
        path = f"/admin/workflows/{model._meta.model_name}/"
        row = model._default_manager.first()
        assert row is not None
        assert operator.get(path).status_code == 200
        assert operator.get(f"{path}{row.pk}/change/").status_code == 200
        assert operator.post(f"{path}{row.pk}/change/", {}).status_code == 403
        assert operator.get(f"{path}add/").status_code == 403


def test_a_rule_is_paused_and_published_from_the_list(line: Line, operator: Client) -> None:
    act(operator, "pause", line.rule)
    paused = Rule.objects.get().state
    act(operator, "publish", line.rule)

    assert (paused, Rule.objects.get().state, Rule.objects.get().version) == ("paused", "published", 2)


def test_what_a_service_refuses_is_shown_and_changes_nothing(line: Line, operator: Client) -> None:
    pause_rule(line.caller, rule=line.rule)

    answer = operator.post(
        "/admin/workflows/rule/", {"action": "pause", "_selected_action": [str(line.rule.pk)]}, follow=True
    )

    assert "Only a published rule can be paused." in answer.content.decode()
    assert Rule.objects.get().state == "paused"
