"""The first page of the settings: the name, the emergency stop that everybody sees, and leaving."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from tests.factories.agents import make_agent
from tests.factories.boards import make_board
from tests.factories.workspaces import caller_of, make_member
from tests.support.cast import browser, token_of
from tests.web.pages import HTMX, code_of, form_of, has_form, text_of, url
from workspaces.caller import Caller
from workspaces.models import AuditEntry, Member, Workspace
from workspaces.roles import Role
from workspaces.services.capabilities import switch_capability
from workspaces.services.members import change_role
from workspaces.services.workspaces import create_workspace

pytestmark = pytest.mark.django_db

SETTINGS, STOP, RESUME, LEAVE = "/settings/", "/settings/stop/", "/settings/resume/", "/settings/leave/"
HOSTILE = '<script>alert("1")</script>'


def fresh(caller: Caller) -> Workspace:
    return Workspace.objects.get(pk=caller.workspace.pk)


def submit(client: Client, action: str, page: str = "", **typed: str) -> Any:
    return client.post(action, {**form_of(client.get(page or action), action), **typed})


def test_an_admin_renames_the_workspace(amir: Caller) -> None:
    client = browser(amir)

    answer = submit(client, SETTINGS, name="  Bread & Sons ")

    assert (answer.status_code, answer["Location"], fresh(amir).name) == (302, SETTINGS, "Bread & Sons")
    assert "Bread &amp; Sons" in text_of(client.get(SETTINGS))


def test_a_name_that_shows_nothing_is_refused_beside_its_field(amir: Caller) -> None:
    client = browser(amir)

    answer = submit(client, SETTINGS, name="   ")

    assert (answer.status_code, code_of(answer)) == (422, "INVALID_INPUT")
    assert 'id="name-workspace-error"' in text_of(answer)
    assert fresh(amir).name == "Alice's Bakery"


@pytest.mark.parametrize("person", ["mia", "vic"])
def test_who_may_change_nothing_sees_the_page_without_the_buttons(person: str, request: pytest.FixtureRequest) -> None:
    client = browser(request.getfixturevalue(person))

    page = client.get(SETTINGS)
    answers = [client.post(SETTINGS, {"name": "Mine"}), client.post(STOP, {"reason": "x"}), client.post(RESUME)]

    assert (page.status_code, has_form(page, SETTINGS)) == (200, False)
    assert [STOP in text_of(page), LEAVE in text_of(page)] == [False, True]
    assert [code_of(answer) for answer in answers] == ["FORBIDDEN"] * 3
    assert Workspace.objects.filter(name="Alice's Bakery", dispatch_paused=False).count() == 1


def test_stopping_names_what_stops_and_everybody_reads_why(alice: Caller, amir: Caller, vic: Caller) -> None:
    board = make_board(alice, members=[vic.member])
    make_agent(alice, board, name="Scout")
    client = browser(amir)
    asked = client.get(STOP, headers=HTMX)

    answer = client.post(STOP, {**form_of(asked, STOP), "reason": HOSTILE}, headers=HTMX)

    seen = [text_of(browser(vic).get(page)) for page in (SETTINGS, url("board", board.pk))]
    home = browser(vic).get("/")
    assert "These agents start nothing new: Scout." in text_of(asked)
    assert (answer.status_code, answer["HX-Redirect"]) == (204, SETTINGS)
    assert (fresh(alice).dispatch_paused, fresh(alice).dispatch_reason) == (True, HOSTILE)
    assert [page.count("Work is paused in this workspace.") for page in seen] == [1, 1]
    assert ["alert(&quot;1&quot;)" in page and "<script>alert" not in page for page in seen] == [True, True]
    assert [need.code for need in home.context["page"].needs] == ["DISPATCH_PAUSED"]
    assert "Stopped by Amir Aziz" in seen[0]


def test_resuming_asks_and_ends_the_stop(alice: Caller) -> None:
    client = browser(alice)
    submit(client, STOP, reason="Fire")

    answer = submit(client, RESUME)

    assert (answer.status_code, answer["Location"]) == (302, SETTINGS)
    assert (fresh(alice).dispatch_paused, fresh(alice).dispatch_reason) == (False, "")
    assert "Work is paused" not in text_of(client.get(SETTINGS))


@pytest.mark.requirement("W059")
def test_a_stop_that_is_sent_twice_or_late_stops_once(alice: Caller) -> None:
    client = browser(alice)
    form = {**form_of(client.get(STOP), STOP), "reason": "Fire"}

    client.post(STOP, form)
    client.post(STOP, form)
    submit(client, RESUME)
    client.post(STOP, form)

    assert fresh(alice).dispatch_paused is False
    assert AuditEntry.objects.filter(verb="dispatch.paused").count() == 1


def test_a_reason_that_is_too_long_stops_nothing_and_is_kept(alice: Caller) -> None:
    client = browser(alice)

    answer = submit(client, STOP, reason="x" * 301)

    assert (answer.status_code, code_of(answer)) == (422, "INVALID_INPUT")
    assert form_of(answer, STOP)["reason"] == "x" * 301
    assert fresh(alice).dispatch_paused is False


def test_without_the_capability_there_is_no_button_and_the_refusal_of_the_tool(alice: Caller) -> None:
    switch_capability(alice, name="dispatch", is_on=False)
    client = browser(alice)

    page, refused = client.get(SETTINGS), client.post(STOP, {"reason": "Fire"})

    assert STOP not in text_of(page)
    assert (refused.status_code, code_of(refused)) == (403, "CAPABILITY_OFF")
    assert fresh(alice).dispatch_paused is False


@pytest.mark.requirement("W007")
def test_leaving_says_what_ends_and_ends_it(alice: Caller, mia: Caller) -> None:
    raw = token_of(mia)
    client = browser(mia)
    asked = client.get(LEAVE)

    answer = client.post(LEAVE, form_of(asked, LEAVE))

    assert "1 of your tokens stops working, for good." in text_of(asked)
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert Member.objects.get(pk=mia.member.pk).removed_at is not None
    assert client.get("/api/v1/whoami", headers={"Authorization": f"Bearer {raw}"}).status_code == 401
    assert code_of(client.get("/")) == "NO_WORKSPACE"


def test_the_last_owner_is_told_why_they_stay(alice: Caller, amir: Caller) -> None:
    client = browser(alice)

    before, refused = client.get(SETTINGS), client.post(LEAVE)
    change_role(alice, member=amir.member, role=Role.OWNER)
    after = client.get(SETTINGS)

    assert [LEAVE in text_of(page) for page in (before, after)] == [False, True]
    assert (refused.status_code, code_of(refused)) == (409, "LAST_OWNER")
    assert Member.objects.get(pk=alice.member.pk).removed_at is None


def test_a_form_acts_in_no_other_workspace_than_the_one_it_was_made_for(alice: Caller, mia: Caller) -> None:
    """Leaving twice leaves one; and a form of before a switch does nothing to the workspace of after it."""
    other = create_workspace(name="Mia's Own", owner=mia.member.user)
    extra = make_member(caller_of(Member.objects.get(workspace=other)), "Ona Other", Role.OWNER)
    client = browser(mia)
    client.post("/workspace/", {"workspace": str(alice.workspace.pk)})
    form = form_of(client.get(LEAVE), LEAVE)

    first, second = client.post(LEAVE, form), client.post(LEAVE, form)

    left = Member.objects.filter(user=mia.member.user, removed_at__isnull=False)
    assert (first.status_code, second.status_code, code_of(second)) == (302, 409, "WORKSPACE_SWITCHED")
    assert [member.workspace_id for member in left] == [alice.workspace.pk]
    assert extra.workspace.pk == other.pk


def test_somebody_lowered_since_the_page_was_made_is_refused(alice: Caller, amir: Caller) -> None:
    client = browser(amir)
    form = {**form_of(client.get(STOP), STOP), "reason": "Fire"}
    change_role(alice, member=amir.member, role=Role.MEMBER)

    answer = client.post(STOP, form)

    assert (answer.status_code, code_of(answer), fresh(alice).dispatch_paused) == (403, "FORBIDDEN", False)


def test_the_page_takes_as_many_queries_with_many_members_as_with_one(
    alice: Caller, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    client = browser(alice)
    with django_assert_max_num_queries(6) as one:
        client.get(SETTINGS)
    for number in range(8):
        make_member(alice, f"Member {number}")

    with django_assert_max_num_queries(6) as many:
        client.get(SETTINGS)

    assert len(many) == len(one)
