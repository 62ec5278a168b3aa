"""Passkeys: made, used, renamed and removed; and what no device made is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from django.contrib.sessions.models import Session
from django.test import Client
from pytest_django import Settings

from bakedbrie.lib import clock, ids
from tests.factories.workspaces import PASSWORD
from tests.support.device import Device, at_host
from tests.support.second_step import turned_on
from tests.web.pages import code_of
from workspaces.caller import Caller
from workspaces.models import Member, User
from workspaces.refusals import PASSKEYS_FULL
from workspaces.roles import Role
from workspaces.services.invites import invite_member
from workspaces.services.passkeys import MOST, passkeys_of
from workspaces.services.tries import QUESTIONS_PER_NETWORK
from workspaces.services.users import set_active


@pytest.fixture(autouse=True)
def by_name(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["localhost", "elsewhere.localhost"]
    settings.LIVE_PREFIX = f"{settings.LIVE_PREFIX}{ids.new_id()}:"  # nothing was counted yet


def signed_in(user: User) -> Client:
    client = at_host()
    assert client.post("/sign-in/", {"email": user.email, "password": PASSWORD}).status_code == 302
    return client


def added(user: User, device: Device | None = None) -> Device:
    """Add a passkey to the account, on the page for it."""
    device, client = device or Device(), signed_in(user)
    options = client.post("/account/passkeys/options/").json()
    answer = client.post("/account/passkeys/new/", {"name": "Laptop", "credential": device.make(options)})
    assert (answer.status_code, answer["Location"]) == (302, "/account/#passkeys")
    return device


def use(device: Device, **fields: str) -> tuple[Client, int, str | None]:
    client = at_host()
    credential = device.use(client.post("/sign-in/passkey/options/").json())
    answer = client.post("/sign-in/passkey/", {"credential": credential, **fields})
    return client, answer.status_code, code_of(answer)


def asked_from(ip: str) -> Any:
    """Ask for the question of a passkey, in a new browser."""
    return at_host().post("/sign-in/passkey/options/", REMOTE_ADDR=ip)


def test_a_passkey_alone_signs_in_and_leads_to_where_one_wanted_to_go(alice: Caller) -> None:
    device = added(alice.member.user)

    client, status, _ = use(device, next="/settings/")

    assert (status, client.get("/").context["request"].caller.member) == (302, alice.member)
    row = passkeys_of(alice.member.user).get()
    assert (str(row), row.last_used_at is not None) == ("Laptop", True)


def test_it_needs_no_second_step(alice: Caller) -> None:
    device = added(alice.member.user)
    turned_on(alice.member.user)

    client, status, _ = use(device)

    assert (status, client.get("/").status_code) == (302, 200)


def test_what_does_not_fit_is_refused(alice: Caller, mia: Caller) -> None:
    device, unknown = added(alice.member.user), Device()
    unknown.user_handle = device.user_handle
    unasked = Device(verifies=False)
    unasked.key, unasked.id, unasked.user_handle = device.key, device.id, device.user_handle
    elsewhere = Device(host="elsewhere.localhost")
    elsewhere.key, elsewhere.id, elsewhere.user_handle = device.key, device.id, device.user_handle

    refused = {name: use(one)[1:] for name, one in {"key": unknown, "nobody asked": unasked, "site": elsewhere}.items()}

    assert refused == dict.fromkeys(refused, (422, "PASSKEY_FAILED"))


def test_an_answer_counts_once_and_only_in_the_browser_that_was_asked(alice: Caller) -> None:
    device, client, other = added(alice.member.user), at_host(), at_host()
    answer = {"credential": device.use(client.post("/sign-in/passkey/options/").json())}

    elsewhere = other.post("/sign-in/passkey/", answer)
    first = client.post("/sign-in/passkey/", answer)
    client.post("/sign-out/")
    again = client.post("/sign-in/passkey/", answer)

    assert [elsewhere.status_code, first.status_code, again.status_code] == [422, 302, 422]


@pytest.mark.parametrize("answer", ["", "x", "[]", "{}", '{"response": 1}', '{"response": {"userHandle": "é"}}'])
def test_what_no_browser_sends_is_refused(alice: Caller, answer: str) -> None:
    client = signed_in(alice.member.user)
    client.post("/account/passkeys/options/")
    client.post("/sign-in/passkey/options/")

    tried = client.post("/sign-in/passkey/", {"credential": answer})
    made = client.post("/account/passkeys/new/", {"name": "Laptop", "credential": answer})

    assert [(one.status_code, code_of(one)) for one in (tried, made)] == [(422, "PASSKEY_FAILED")] * 2


@pytest.mark.parametrize("part", ["authenticatorData", "clientDataJSON", "signature", "userHandle"])
def test_a_part_that_was_changed_is_refused(alice: Caller, part: str) -> None:
    device, client = added(alice.member.user), at_host()
    answer = json.loads(device.use(client.post("/sign-in/passkey/options/").json()))
    for wrong in ("", "AAAA", 7, None):
        answer["response"][part] = wrong
        refused = client.post("/sign-in/passkey/", {"credential": json.dumps(answer)})

        assert (refused.status_code, code_of(refused)) == (422, "PASSKEY_FAILED")


def test_an_account_that_is_off_is_not_let_in(alice: Caller, mia: Caller) -> None:
    device = added(mia.member.user)
    set_active(mia.member.user, is_active=False)

    assert use(device)[1:] == (422, "PASSKEY_FAILED")


def test_it_is_renamed_and_removed_by_its_person_alone(alice: Caller, mia: Caller) -> None:
    device = added(alice.member.user)
    pk = passkeys_of(alice.member.user).get().pk
    hers, his = signed_in(alice.member.user), signed_in(mia.member.user)

    foreign = [his.get(f"/account/passkeys/{pk}/"), his.post(f"/account/passkeys/{pk}/", {"action": "remove"})]
    hers.post(f"/account/passkeys/{pk}/", {"name": "Old laptop"})
    name = str(passkeys_of(alice.member.user).get())
    hers.post(f"/account/passkeys/{pk}/", {"action": "remove"})

    assert [answer.status_code for answer in foreign] == [404, 404]
    assert (name, passkeys_of(alice.member.user).count()) == ("Old laptop", 0)
    assert use(device)[1:] == (422, "PASSKEY_FAILED")


def test_who_is_there_is_shown_with_an_own_passkey_and_no_other(alice: Caller, mia: Caller) -> None:
    hers, his = added(alice.member.user), added(mia.member.user)
    client = at_host()
    client.force_login(alice.member.user)

    answers = []
    for device in (his, hers):
        credential = device.use(client.post("/sign-in/passkey/options/").json())
        answers.append(client.post("/account/confirm/", {"credential": credential, "next": "/account/"}).status_code)

    assert answers == [422, 302]
    assert client.get("/account/password/").status_code == 200


def test_who_is_invited_may_come_with_a_passkey_and_no_password(alice: Caller) -> None:
    _, link = invite_member(alice, email="nora@example.com", role=Role.MEMBER)
    client, device = at_host(), Device()
    made = device.make(client.post(f"{link}passkey/", {"name": "Nora"}).json())

    answer = client.post(link, {"name": "Nora Noor", "credential": made})

    member = Member.objects.select_related("user").get(user__email="nora@example.com")
    assert (answer.status_code, client.get("/").context["request"].caller.member) == (302, member)
    assert (member.user.name, member.user.has_usable_password()) == ("Nora Noor", False)
    assert use(device)[1] == 302


def test_a_passkey_that_fails_makes_no_account_and_leaves_the_invitation_open(alice: Caller) -> None:
    _, link = invite_member(alice, email="nora@example.com", role=Role.MEMBER)
    client = at_host()
    client.post(f"{link}passkey/", {"name": "Nora"})

    refused = client.post(link, {"name": "Nora", "credential": "{}"})

    assert (refused.status_code, code_of(refused)) == (422, "PASSKEY_FAILED")
    assert not User.objects.filter(email="nora@example.com").exists()
    assert client.get(link).status_code == 200


def test_the_only_way_in_is_not_removed(alice: Caller) -> None:
    _, link = invite_member(alice, email="nora@example.com", role=Role.MEMBER)
    client, device = at_host(), Device()
    made = device.make(client.post(f"{link}passkey/", {"name": "Nora"}).json())
    client.post(link, {"name": "Nora", "credential": made})
    address = f"/account/passkeys/{Authenticator.objects.get().pk}/"

    refused = client.post(address, {"action": "remove"})
    client.post("/account/password/", {"password": "flour water salt yeast"})
    removed = client.post(address, {"action": "remove"})

    assert (refused.status_code, code_of(refused), removed.status_code) == (409, "LAST_WAY_IN", 302)
    assert Authenticator.objects.count() == 0


def test_an_account_has_twenty_passkeys_at_most(alice: Caller) -> None:
    client = signed_in(alice.member.user)
    for _ in range(MOST):
        options = client.post("/account/passkeys/options/").json()
        client.post("/account/passkeys/new/", {"name": "One more", "credential": Device().make(options)})

    refused = client.post("/account/passkeys/options/")

    assert (refused.status_code, passkeys_of(alice.member.user).count()) == (409, MOST)
    assert refused.json()["problem"] == f"{PASSKEYS_FULL.message} {PASSKEYS_FULL.fix}"


def test_two_browsers_that_end_at_once_make_no_twenty_first_passkey(alice: Caller) -> None:
    device, client = Device(), signed_in(alice.member.user)
    options = client.post("/account/passkeys/options/").json()
    for _ in range(MOST):
        Authenticator.objects.create(user=alice.member.user, type=Authenticator.Type.WEBAUTHN, data={"name": "Key"})

    refused = client.post("/account/passkeys/new/", {"name": "Laptop", "credential": device.make(options)})

    assert (refused.status_code, code_of(refused)) == (409, "PASSKEYS_FULL")
    assert passkeys_of(alice.member.user).count() == MOST


def test_a_network_asks_for_sixty_questions_a_minute_and_its_tries_are_counted_apart(alice: Caller) -> None:
    sessions = Session.objects.count()

    with time_machine.travel(clock.now(), tick=False):
        answers = [asked_from("203.0.113.77") for _ in range(QUESTIONS_PER_NETWORK + 2)]
        elsewhere = asked_from("203.0.113.78")
        known = {"email": alice.member.user.email, "password": PASSWORD}
        by_password = at_host().post("/sign-in/", known, REMOTE_ADDR="203.0.113.77")

    assert [answer.status_code for answer in answers] == [200] * QUESTIONS_PER_NETWORK + [429] * 2
    assert (elsewhere.status_code, by_password.status_code) == (200, 302)
    assert Session.objects.count() == sessions + QUESTIONS_PER_NETWORK + 2  # also elsewhere, and who signed in
    assert answers[-1].json()["problem"].startswith("Too many tries")
    assert 0 < int(answers[-1]["Retry-After"]) <= 61


@pytest.mark.parametrize("odd", ["\x00", "\ud800"])
def test_a_passkey_with_text_that_no_row_holds_is_refused(alice: Caller, odd: str) -> None:
    client = signed_in(alice.member.user)
    made = json.loads(Device().make(client.post("/account/passkeys/options/").json()))

    refused = client.post("/account/passkeys/new/", {"name": "Laptop", "credential": json.dumps({**made, "odd": odd})})

    assert (refused.status_code, code_of(refused)) == (422, "PASSKEY_FAILED")


def test_a_passkey_of_an_invitation_belongs_to_whom_it_was_asked_for(alice: Caller) -> None:
    _, link = invite_member(alice, email="nora@example.com", role=Role.MEMBER)
    client = signed_in(alice.member.user)
    options = client.post("/account/passkeys/options/").json()
    asked = client.session["mfa.webauthn.state"]
    stranger = at_host()
    stranger.get(link)
    session = stranger.session
    session["mfa.webauthn.state"] = asked
    session.save()
    stranger.cookies["bakedbrie_session"] = str(session.session_key)

    refused = stranger.post(link, {"name": "Nora", "credential": Device().make(options)})

    assert (refused.status_code, code_of(refused)) == (422, "PASSKEY_FAILED")
    assert not User.objects.filter(email="nora@example.com").exists()
