"""The page of an invite: it names what one is asked into, and takes in whoever is meant."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.factories.workspaces import PASSWORD, make_user
from tests.support.cast import browser
from tests.web.pages import code_of, form_of, has_form, text_of
from workspaces.caller import Caller
from workspaces.models import Invite, Member, User
from workspaces.roles import Role
from workspaces.services.invites import invite_member, revoke_invite
from workspaces.services.members import add_member

pytestmark = pytest.mark.django_db

EMAIL = "nora@example.com"
NEW = {"name": "Nora Novak", "password": "a loaf of rye and seeds"}


def link(caller: Caller, email: str = EMAIL, role: Role = Role.MEMBER) -> str:
    return invite_member(caller, email=email, role=role)[1]


def members(caller: Caller) -> int:
    return Member.objects.filter(workspace=caller.workspace, removed_at=None).count()


def test_opening_the_link_shows_who_asks_you_where_to_and_accepts_nothing(alice: Caller) -> None:
    path = link(alice, role=Role.VIEWER)
    client = Client()

    pages = [client.get(path) for _ in range(2)]

    shown = text_of(pages[1])
    assert [page.status_code for page in pages] == [200, 200]
    assert "Join Alice&#x27;s Bakery" in shown
    assert f"Alice Archer invites {EMAIL} to join as viewer." in shown
    assert pages[0]["Referrer-Policy"] == "strict-origin"
    assert "no-store" in pages[0]["Cache-Control"]
    assert members(alice) == 1


def test_somebody_new_makes_an_account_and_is_in(alice: Caller) -> None:
    path, client = link(alice), Client()
    form = form_of(client.get(path), path)

    joined = client.post(path, {**form, **NEW})

    assert form.keys() >= {"name", "password"}
    assert (joined.status_code, joined["Location"]) == (302, "/")
    caller = client.get("/").context["request"].caller
    assert (caller.workspace, caller.actor.name, caller.role) == (alice.workspace, "Nora Novak", Role.MEMBER)
    assert (Client().get(path).status_code, code_of(Client().get(path))) == (409, "INVITE_EXPIRED")


def test_what_is_wrong_with_a_new_account_stands_at_its_fields(alice: Caller) -> None:
    path = link(alice)

    refused = Client().post(path, {"name": "\u3164", "password": "x"})
    weak = Client().post(path, {"name": "Nora <b>", "password": "q7x"})

    assert (refused.status_code, code_of(refused)) == (422, "INVALID_INPUT")
    assert 'id="name-new-error"' in text_of(refused)
    assert (weak.status_code, code_of(weak)) == (422, "INVALID_INPUT")
    assert 'id="password-new-error"' in text_of(weak)
    assert 'value="Nora &lt;b&gt;"' in text_of(weak)
    assert "q7x" not in text_of(weak)
    assert not User.objects.filter(email=EMAIL).exists()


def test_somebody_known_signs_in_with_the_same_form(alice: Caller, charlie: Caller) -> None:
    path, client = link(alice, charlie.member.user.email), Client()
    form = form_of(client.get(path), path)

    wrong = client.post(path, {**form, "password": "not it at all"})
    joined = client.post(path, {**form, "password": PASSWORD})

    assert "name" not in form
    assert (wrong.status_code, code_of(wrong)) == (422, "SIGN_IN_FAILED")
    assert joined.status_code == 302
    assert client.get("/").context["request"].caller.workspace == alice.workspace


def test_who_is_signed_in_as_that_address_presses_one_button(alice: Caller, charlie: Caller) -> None:
    path, client = link(alice, charlie.member.user.email), browser(charlie)
    form = form_of(client.get(path), path)

    joined = client.post(path, form)

    assert form.keys() <= {"csrfmiddlewaretoken"}
    assert joined.status_code == 302
    assert client.get("/").context["request"].caller.workspace == alice.workspace


def test_who_is_signed_in_as_somebody_else_can_only_sign_out(alice: Caller, charlie: Caller) -> None:
    path, client = link(alice), browser(charlie)

    page = client.get(path)
    pressed = client.post(path, NEW)

    assert not has_form(page, path)
    assert has_form(page, "/sign-out/")
    assert (pressed.status_code, code_of(pressed)) == (409, "INVITE_OTHER_ADDRESS")
    assert members(alice) == 1
    assert not User.objects.filter(email=EMAIL).exists()


def test_a_link_that_is_over_says_so_and_nothing_else(alice: Caller) -> None:
    path = link(alice)
    revoke_invite(alice, invite=Invite.objects.get())

    pages = [Client().get(path), Client().post(path, NEW), Client().get("/invites/made-up/")]

    assert [(page.status_code, code_of(page)) for page in pages] == [(409, "INVITE_EXPIRED")] * 3
    assert all("Alice" not in text_of(page) for page in pages)
    assert not User.objects.filter(email=EMAIL).exists()


def test_somebody_who_is_in_already_is_told(alice: Caller) -> None:
    user = make_user()
    path = link(alice, user.email)
    add_member(alice, user=user, role=Role.VIEWER)
    client = Client()
    client.force_login(user)

    refused = client.post(path)

    assert (refused.status_code, code_of(refused)) == (409, "ALREADY_MEMBER")
    assert Member.objects.get(user=user).role == Role.VIEWER


def test_an_invite_is_not_accepted_from_another_site(alice: Caller) -> None:
    path = link(alice)

    refused = Client(enforce_csrf_checks=True).post(path, NEW)

    assert (refused.status_code, code_of(refused)) == (403, "FORM_EXPIRED")
    assert members(alice) == 1


def test_the_page_costs_few_queries(alice: Caller, django_assert_max_num_queries: object) -> None:
    path = link(alice)

    with django_assert_max_num_queries(2):  # type: ignore[operator]
        Client().get(path)
