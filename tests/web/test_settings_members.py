"""Members and invitations in the settings: seen by everybody, changed by owners and admins, after a question."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from bakedbrie.lib import clock
from tests.factories.workspaces import make_member
from tests.support.cast import browser, token_of
from tests.web.pages import HTMX, code_of, form_of, has_form, text_of, url
from workspaces.caller import Caller
from workspaces.models import AuditEntry, Invite, Member
from workspaces.roles import Role
from workspaces.services.invites import invite_member
from workspaces.services.members import change_role, remove_member

pytestmark = pytest.mark.django_db

MEMBERS, INVITES = "/settings/members/", "/settings/invites/"
HOSTILE = '<script>alert("1")</script>'


def role_of(caller: Caller) -> str:
    return Member.objects.get(pk=caller.member.pk).role


def submit(client: Client, action: str, page: str = "", **typed: str) -> Any:
    return client.post(action, {**form_of(client.get(page or action), action), **typed})


def link_in(page: str) -> str:
    found = re.search(r'value="https?://[^/"]+(/invites/[^"]+)"', page)
    return found.group(1) if found else ""


def test_everybody_sees_who_belongs_and_only_admins_what_is_private(alice: Caller, amir: Caller, vic: Caller) -> None:
    pages = {person: text_of(browser(person).get(MEMBERS)) for person in (amir, vic)}

    assert [name in pages[vic] for name in ("Alice Archer", "Amir Aziz", "Vic Varga", "Owner")] == [True] * 4
    assert [alice.member.user.email in page for page in pages.values()] == [True, False]
    assert ["Invite somebody" in page for page in pages.values()] == [True, False]
    assert [url("remove-member", vic.member.pk) in page for page in pages.values()] == [True, False]
    assert url("remove-member", alice.member.pk) not in pages[amir]


@pytest.mark.requirement("W004")
def test_an_admin_changes_a_role_after_reading_what_it_may(amir: Caller, mia: Caller) -> None:
    client, action = browser(amir), url("change-role", mia.member.pk)
    asked = client.get(action, headers=HTMX)

    answer = client.post(action, {**form_of(asked, action), "role": "viewer"}, headers=HTMX)

    assert 'value="viewer"' in text_of(asked)
    assert 'value="owner"' not in text_of(asked)
    assert (answer.status_code, "bakedbrie:changed" in answer["HX-Trigger"], role_of(mia)) == (204, True, "viewer")


@pytest.mark.parametrize("role", ["owner", "chief", ""])
def test_a_role_that_an_admin_may_not_give_is_refused(amir: Caller, mia: Caller, role: str) -> None:
    answer = submit(browser(amir), url("change-role", mia.member.pk), role=role)

    assert code_of(answer) == ("FORBIDDEN" if role == "owner" else "INVALID_INPUT")
    assert role_of(mia) == "member"


def test_the_last_owner_is_told_why_the_role_stays(alice: Caller, amir: Caller) -> None:
    client, action = browser(alice), url("change-role", alice.member.pk)

    shown, page = client.get(action), text_of(client.get(MEMBERS))
    refused = client.post(action, {**form_of(shown, action), "role": "viewer"})
    admin = browser(amir).get(action)

    assert [action in page, "The only owner who can sign in" in page] == [False, True]
    assert "is the only owner who can sign in" in text_of(shown)
    assert (refused.status_code, code_of(refused), role_of(alice)) == (409, "LAST_OWNER", "owner")
    assert code_of(admin) == "FORBIDDEN"


@pytest.mark.requirement("W007")
def test_removing_says_what_ends_and_ends_it(alice: Caller, amir: Caller) -> None:
    raw = token_of(amir)
    invite_member(amir, email="nora@example.com", role=Role.MEMBER)
    client, action = browser(alice), url("remove-member", amir.member.pk)
    asked = client.get(action)

    answers = [client.post(action, form_of(asked, action)) for _ in range(2)]

    said = ["Amir Aziz can open nothing", "1 of their tokens stops working", "1 invitation that Amir Aziz made"]
    assert [text in text_of(asked) for text in said] == [True] * 3
    assert [answer.status_code for answer in answers] == [302, 404]
    assert Member.objects.get(pk=amir.member.pk).removed_at is not None
    assert client.get("/api/v1/whoami", headers={"Authorization": f"Bearer {raw}"}).status_code == 401
    assert AuditEntry.objects.filter(verb="member.removed").count() == 1


def test_who_means_themselves_is_asked_whether_they_leave(amir: Caller) -> None:
    answer = browser(amir).get(url("remove-member", amir.member.pk))

    assert (answer.status_code, answer["Location"]) == (302, "/settings/leave/")


@pytest.mark.parametrize("person", ["mia", "vic"])
def test_who_is_no_admin_changes_nobody(person: str, request: pytest.FixtureRequest, amir: Caller) -> None:
    client = browser(request.getfixturevalue(person))
    paths = [url("change-role", amir.member.pk), url("remove-member", amir.member.pk)]

    answers = [client.get(path) for path in paths] + [client.post(path, {"role": "viewer"}) for path in paths]
    invited = client.post(INVITES, {"email": "n@example.com", "role": "viewer"})

    assert [code_of(answer) for answer in (*answers, invited)] == ["FORBIDDEN"] * 5
    assert (role_of(amir), Invite.objects.count()) == ("admin", 0)


def test_an_invitation_shows_its_link_once_and_the_link_takes_in(amir: Caller) -> None:
    client = browser(amir)
    form = {**form_of(client.get(MEMBERS), INVITES), "email": " Nora@Example.com ", "role": "viewer"}

    first, second = (client.post(INVITES, form) for _ in range(2))

    link = link_in(text_of(first))
    assert "no-store" in first["Cache-Control"]
    assert link
    assert not link_in(text_of(second))
    assert "made already" in text_of(second)
    assert not link_in(text_of(client.get(MEMBERS)))
    assert "nora@example.com" in text_of(Client().get(link))
    assert list(Invite.objects.values_list("email", "role")) == [("nora@example.com", "viewer")]


def test_wrong_input_invites_nobody_and_keeps_what_was_typed(amir: Caller, mia: Caller) -> None:
    client = browser(amir)

    wrong = submit(client, INVITES, MEMBERS, email="no address", role="viewer")
    known = submit(client, INVITES, MEMBERS, email=mia.member.user.email)

    assert (wrong.status_code, code_of(wrong)) == (422, "INVALID_INPUT")
    assert form_of(wrong, INVITES)["email"] == "no address"
    assert form_of(wrong, INVITES)["role"] == "viewer"
    assert (known.status_code, code_of(known)) == (409, "ALREADY_MEMBER")
    assert not Invite.objects.exists()


def test_an_open_invitation_is_taken_back_after_a_question(amir: Caller) -> None:
    invite, link = invite_member(amir, email="nora@example.com", role=Role.MEMBER)
    client, action = browser(amir), url("take-invite-back", invite.pk)
    page = text_of(client.get(MEMBERS))

    answer = submit(client, action)

    assert [text in page for text in ("nora@example.com", "Invited by Amir Aziz", action)] == [True] * 3
    assert (answer.status_code, answer["Location"]) == (302, MEMBERS)
    assert code_of(Client().get(link)) == "INVITE_EXPIRED"
    assert "nora@example.com" not in text_of(client.get(MEMBERS))


def test_those_that_nobody_can_accept_are_told_apart_and_made_again(alice: Caller, amir: Caller) -> None:
    late, _ = invite_member(alice, email="late@example.com", role=Role.VIEWER)
    Invite.objects.filter(pk=late.pk).update(expires_at=clock.now() - timedelta(days=1))
    invite_member(amir, email="void@example.com", role=Role.MEMBER)
    remove_member(alice, member=amir.member)
    client = browser(alice)
    page = client.get(MEMBERS)

    made = client.post(INVITES, {"email": "late@example.com", "role": "viewer"})

    found = page.context["invitations"]
    assert ([invite.email for invite in found.over], found.open) == (["void@example.com", "late@example.com"], [])
    said = ("expired <time", "whoever made it could not make it any more")
    assert [text in text_of(page) for text in said] == [True, True]
    assert [invite.email for invite in made.context["invitations"].open] == ["late@example.com"]


@pytest.mark.requirement("W002")
def test_members_and_invites_of_another_workspace_are_not_there(alice: Caller, charlie: Caller) -> None:
    foreign, _ = invite_member(charlie, email="nora@example.com", role=Role.MEMBER)
    client = browser(alice)
    paths = [
        url("change-role", charlie.member.pk),
        url("remove-member", charlie.member.pk),
        url("take-invite-back", foreign.pk),
    ]

    answers = [client.get(path) for path in paths] + [client.post(path, {"role": "viewer"}) for path in paths]

    assert [code_of(answer) for answer in answers] == ["NOT_FOUND"] * 6
    assert "nora@example.com" not in text_of(client.get(MEMBERS))
    assert role_of(charlie) == "owner"


def test_names_are_shown_as_text(alice: Caller) -> None:
    make_member(alice, HOSTILE)
    other = make_member(alice, "Ona Other")

    pages = [browser(alice).get(MEMBERS), browser(alice).get(url("remove-member", other.member.pk))]

    assert ["<script>alert" in text_of(page) for page in pages] == [False, False]


def test_a_long_list_comes_in_pages(alice: Caller) -> None:
    people = [alice, *(make_member(alice, f"Member {number}") for number in range(3))]
    client = browser(alice)
    first = client.get(MEMBERS, {"limit": 3})

    second = client.get(MEMBERS, {"limit": 3, "cursor": first.context["next_cursor"]})
    broken = client.get(MEMBERS, {"cursor": "?"})

    shown = [line.member.pk for page in (first, second) for line in page.context["lines"]]
    assert shown == [person.member.pk for person in people]
    assert ("4 members of" in text_of(first), second.context["next_cursor"]) == (True, None)
    assert code_of(broken) == "INVALID_INPUT"


def test_somebody_lowered_since_the_page_was_made_invites_nobody(alice: Caller, amir: Caller) -> None:
    client = browser(amir)
    form = {**form_of(client.get(MEMBERS), INVITES), "email": "n@example.com"}
    change_role(alice, member=amir.member, role=Role.MEMBER)

    answer = client.post(INVITES, form)

    assert (code_of(answer), Invite.objects.count()) == ("FORBIDDEN", 0)
    assert not has_form(client.get(MEMBERS), INVITES)


def test_the_page_takes_as_many_queries_for_many_as_for_one(
    alice: Caller, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    client = browser(alice)
    invite_member(alice, email="first@example.com", role=Role.MEMBER)
    with django_assert_max_num_queries(8) as one:
        client.get(MEMBERS)
    for number in range(8):
        make_member(alice, f"Member {number}")
        invite_member(alice, email=f"{number}@example.com", role=Role.MEMBER)

    with django_assert_max_num_queries(8) as many:
        client.get(MEMBERS)

    assert len(many) == len(one)


def test_a_second_invitation_says_that_the_first_link_ends_and_what_comes_next(alice: Caller) -> None:
    client, sent = browser(alice), {"email": "noah@example.com", "role": "member"}

    first, second = (text_of(client.post(INVITES, sent)) for _ in range(2))

    ends = "The link that was made for it before works no more."
    assert (ends in first, ends in second) == (False, True)
    assert "They can open no board until somebody lets them in." in first
