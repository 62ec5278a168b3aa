"""Signing in and out."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client

from bakedbrie.lib.ids import NOBODY
from tests.factories.workspaces import PASSWORD, make_user, make_workspace
from tests.support.cast import browser
from tests.web.pages import HTMX, code_of, text_of, url
from workspaces.caller import Caller
from workspaces.models import Member
from workspaces.roles import Role
from workspaces.services.members import add_member, remove_member
from workspaces.services.sign_in_links import make_link


def test_a_stranger_is_sent_to_sign_in_and_back(alice: Caller) -> None:
    client = Client()
    email = alice.member.user.email

    asked = client.get("/?from=mail")
    signed_in = client.post("/sign-in/", {"email": email.upper(), "password": PASSWORD, "next": "/?from=mail"})

    assert (asked.status_code, asked["Location"]) == (302, "/sign-in/?next=%2F%3Ffrom%3Dmail")
    assert (signed_in.status_code, signed_in["Location"]) == (302, "/?from=mail")
    assert client.get("/").status_code == 200


def test_a_wrong_password_and_an_unknown_address_answer_alike(alice: Caller) -> None:
    email = alice.member.user.email

    wrong = Client().post("/sign-in/", {"email": email, "password": "not it"})
    unknown = Client().post("/sign-in/", {"email": "nobody@example.com", "password": "not it"})

    assert [answer.status_code for answer in (wrong, unknown)] == [422, 422]
    assert [code_of(answer) for answer in (wrong, unknown)] == ["SIGN_IN_FAILED", "SIGN_IN_FAILED"]
    assert f'value="{email}"' in text_of(wrong)
    assert "not it" not in text_of(wrong)


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example/", "//evil.example", "javascript:alert(1)", r"\\evil.example"]
)
def test_signing_in_leads_nowhere_else(alice: Caller, elsewhere: str) -> None:
    answer = Client().post("/sign-in/", {"email": alice.member.user.email, "password": PASSWORD, "next": elsewhere})

    assert answer["Location"] == "/"


def test_opening_a_sign_in_link_only_shows_a_button(alice: Caller) -> None:
    client = Client()
    link = make_link(alice.member.user)

    opened = [client.get(link) for _ in range(3)]
    pressed = client.post(link)

    assert [answer.status_code for answer in opened] == [200, 200, 200]
    assert {answer["Referrer-Policy"] for answer in opened} == {"strict-origin"}
    assert (pressed.status_code, pressed["Location"]) == (302, "/")
    assert client.get("/").status_code == 200


def test_the_button_of_a_sign_in_link_works_with_the_origin_that_a_browser_sends(alice: Caller) -> None:
    client = Client(enforce_csrf_checks=True)
    link = make_link(alice.member.user)

    page = client.get(link)
    origin = "null" if page["Referrer-Policy"] == "no-referrer" else "http://testserver"
    form = {"csrfmiddlewaretoken": page.context["csrf_token"]}
    pressed = client.post(link, form, headers={"origin": origin})

    assert (pressed.status_code, pressed["Location"]) == (302, "/")


def test_a_sign_in_link_works_once(alice: Caller) -> None:
    link = make_link(alice.member.user)
    Client().post(link)
    second = Client()

    refused = second.post(link)

    assert (refused.status_code, code_of(refused)) == (409, "LINK_EXPIRED")
    assert second.get("/").status_code == 302


def test_a_sign_in_link_that_expired_signs_nobody_in(alice: Caller) -> None:
    link = make_link(alice.member.user, lifetime=timedelta(seconds=-1))

    refused = Client().post(link)

    assert (refused.status_code, code_of(refused)) == (409, "LINK_EXPIRED")


def test_signing_out_takes_a_post(alice: Caller) -> None:
    client = browser(alice)

    opened = client.get("/sign-out/")
    still_in = client.get("/").status_code
    client.post("/sign-out/")

    assert (opened.status_code, still_in) == (405, 200)
    assert client.get("/").status_code == 302


def test_a_form_without_its_token_is_refused(alice: Caller) -> None:
    client = Client(enforce_csrf_checks=True)

    refused = client.post("/sign-in/", {"email": alice.member.user.email, "password": PASSWORD})

    assert (refused.status_code, code_of(refused)) == (403, "FORM_EXPIRED")


def test_a_removed_member_opens_nothing_any_more(alice: Caller, mia: Caller) -> None:
    client = browser(mia)
    remove_member(alice, member=mia.member)

    refused = client.get("/")

    assert (refused.status_code, code_of(refused)) == (403, "NO_WORKSPACE")


def test_a_piece_of_a_page_sends_the_whole_page_to_sign_in(db: None) -> None:
    answer = Client().get("/", headers=HTMX)

    assert (answer.status_code, answer["HX-Redirect"]) == (204, "/sign-in/")


@pytest.mark.requirement("W002")
def test_a_person_of_two_workspaces_chooses_one_and_nobody_elses(alice: Caller, charlie: Caller) -> None:
    add_member(alice, user=charlie.member.user, role=Role.MEMBER)
    foreign = make_workspace(name="Foreign").workspace
    client = browser(charlie)

    first = client.get("/").context["request"].caller.workspace
    client.post(url("switch-workspace"), {"workspace": str(alice.workspace.pk)})
    chosen = client.get("/").context["request"].caller
    client.post(url("switch-workspace"), {"workspace": str(foreign.pk)})

    assert first == charlie.workspace
    assert (chosen.workspace, chosen.role) == (alice.workspace, Role.MEMBER)
    assert client.get("/").context["request"].caller.workspace == charlie.workspace


def test_a_user_without_a_workspace_is_told_so(db: None) -> None:
    client = Client()
    client.force_login(make_user())

    refused = client.get("/")

    assert (refused.status_code, code_of(refused)) == (403, "NO_WORKSPACE")
    assert Member.objects.count() == 0


def test_nothing_is_kept_for_a_stranger_who_chooses_a_workspace(db: None) -> None:
    answer = Client().post(url("switch-workspace"), {"workspace": "x" * 100_000})

    assert answer.status_code == 302
    assert not Session.objects.exists()


def test_of_a_choice_only_an_id_is_kept(alice: Caller) -> None:
    client = browser(alice)

    client.post(url("switch-workspace"), {"workspace": "x" * 100_000})

    assert client.session["workspace"] == str(NOBODY)
