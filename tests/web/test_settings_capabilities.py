"""The capabilities in the settings: what each needs, and switched by owners and admins alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bakedbrie.api.catalog import TOOLS
from tests.support.cast import browser
from tests.web.pages import HTMX, code_of, form_of, has_form, text_of, url
from workspaces import capabilities
from workspaces.caller import Caller
from workspaces.models import AuditEntry, Workspace
from workspaces.services.capabilities import switch_capability
from workspaces.web.capability_words import NAMES

pytestmark = pytest.mark.django_db

PAGE = "/settings/capabilities/"
ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("bakedbrie", "workspaces", "boards", "agents", "destinations", "reviews", "workflows", "workers")


def on(caller: Caller) -> set[str]:
    return set(Workspace.objects.get(pk=caller.workspace.pk).capabilities)


@pytest.mark.requirement("W019")
def test_all_24_are_shown_with_what_they_turn_on(vic: Caller) -> None:
    page = browser(vic).get(PAGE)

    shown = {line.capability.name for group in ("built", "reserved") for line in page.context[group]}
    assert shown == set(capabilities.TEXTS)
    assert [name for name in shown if f"<code>{name}</code>" not in text_of(page)] == []


def test_what_has_no_effect_has_no_switch_and_all_else_a_plain_name(alice: Caller) -> None:
    page = browser(alice).get(PAGE)

    without = [line.capability.name for line in page.context["reserved"]]
    assert {line.capability.name for line in page.context["built"]} == set(NAMES) == capabilities.BUILT
    assert [name for name in without if url("switch-capability", name) in text_of(page)] == []
    assert all(title in text_of(page) and about in text_of(page) for title, about in NAMES.values())


def test_what_is_said_to_have_nothing_behind_it_is_asked_for_nowhere() -> None:
    source = "\n".join(path.read_text() for folder in PRODUCT for path in sorted((ROOT / folder).rglob("*.py")))
    calls = " ".join(re.findall(r"require_capability\(([^)]*)\)", source))
    asked = {*re.findall(r'"(\w+)"', calls), *re.findall(r'"(\w+)" (?:not )?in capabilities.effective', source)}

    used = asked | {name for tool in TOOLS.values() for name in tool.capabilities}

    assert used == capabilities.BUILT


@pytest.mark.requirement("W026")
def test_an_admin_switches_one_off_after_a_question_and_on_again(amir: Caller) -> None:
    client, action = browser(amir), url("switch-capability", "agents")
    asked = client.get(action, headers=HTMX)

    off = client.post(action, form_of(asked, action), headers=HTMX)
    after = on(amir)
    back = client.post(action, form_of(client.get(PAGE), action))

    assert (off.status_code, "agents" in after) == (204, False)
    assert (back.status_code, back["Location"], "agents" in on(amir)) == (302, PAGE, True)
    told = AuditEntry.objects.filter(verb="capability.switched").order_by("pk").values_list("data__is_on", flat=True)
    assert list(told) == [False, True]


@pytest.mark.requirement("W048", "W050")
def test_what_needs_another_says_so_and_goes_off_with_it(alice: Caller) -> None:
    for name in ("connections_oauth", "connection_webhooks"):
        switch_capability(alice, name=name, is_on=True)
    waiting = text_of(browser(alice).get(PAGE))
    switch_capability(alice, name="connections", is_on=True)

    asked = text_of(browser(alice).get(url("switch-capability", "connections")))

    assert "counts as off until connections is on" in waiting
    assert "counts as off until connections and connections_oauth are on" in waiting
    assert "What needs it counts as off too: connections_oauth, connection_webhooks." in asked


def test_a_form_of_before_a_later_switch_acts_once(alice: Caller) -> None:
    client, action = browser(alice), url("switch-capability", "agents")
    form = form_of(client.get(action), action)

    client.post(action, form)
    switch_capability(alice, name="agents", is_on=True)
    client.post(action, form)

    assert "agents" in on(alice)


@pytest.mark.parametrize("person", ["mia", "vic"])
def test_who_is_no_admin_reads_and_switches_nothing(person: str, request: pytest.FixtureRequest) -> None:
    caller = request.getfixturevalue(person)
    client, action = browser(caller), url("switch-capability", "agents")

    page = client.get(PAGE)
    answers = [client.get(action), client.post(action), client.post(action, {"to": "on"})]

    assert (page.status_code, has_form(page, url("switch-capability", "reviews")), action in text_of(page)) == (
        200,
        False,
        False,
    )
    assert [code_of(answer) for answer in answers] == ["FORBIDDEN"] * 3
    assert on(caller) == set(capabilities.DEFAULTS)


def test_a_name_that_is_no_capability_is_not_found(alice: Caller) -> None:
    client = browser(alice)

    answers = [client.get(url("switch-capability", "flying")), client.post(url("switch-capability", "flying"))]

    assert [code_of(answer) for answer in answers] == ["NOT_FOUND", "NOT_FOUND"]
