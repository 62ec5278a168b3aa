"""Guessing passwords: tries are counted per account and per network, and no stranger keeps somebody out for long."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count

import pytest
import redis
from django.conf import settings as django_settings
from django.http import HttpResponse
from django.test import Client
from pytest_django.fixtures import Settings
from time_machine import TimeMachineFixture

from tests.factories.workspaces import PASSWORD, make_user
from tests.support.cast import browser
from tests.web.pages import code_of
from workspaces.caller import Caller
from workspaces.models import User
from workspaces.roles import Role
from workspaces.services.invites import invite_member
from workspaces.services.passwords import TRIES_PER_ACCOUNT, TRIES_PER_NETWORK
from workspaces.services.sign_in_links import make_link

pytestmark = pytest.mark.django_db

MIDDLE_OF_A_MINUTE = datetime(2026, 11, 30, 12, 0, 45, tzinfo=UTC)

_addresses = count(1)


@pytest.fixture(autouse=True)
def stopped_clock(time_machine: TimeMachineFixture) -> Iterator[None]:
    time_machine.move_to(MIDDLE_OF_A_MINUTE, tick=False)
    forget()
    yield
    forget()


def forget() -> None:
    with redis.Redis.from_url(django_settings.REDIS_URL) as client:
        for key in client.scan_iter(f"{django_settings.LIVE_PREFIX}sign-in:*"):
            client.delete(key)


def fresh_ip() -> str:
    return f"198.51.100.{next(_addresses) % 250 + 1}"


def attempt(email: str, password: str = "not it", *, client: Client | None = None, ip: str = "") -> HttpResponse:
    answer = (client or Client()).post(
        "/sign-in/", {"email": email, "password": password}, REMOTE_ADDR=ip or fresh_ip()
    )
    assert isinstance(answer, HttpResponse)
    return answer


def test_an_account_may_be_tried_so_often_in_a_minute(alice: Caller, time_machine: TimeMachineFixture) -> None:
    email = alice.member.user.email

    codes = [code_of(attempt(email)) for _ in range(TRIES_PER_ACCOUNT)]
    refused = attempt(email, PASSWORD)
    other_case = attempt(f" {email.upper()} ", PASSWORD)
    time_machine.shift(16)
    later = attempt(email, PASSWORD)

    assert codes == ["SIGN_IN_FAILED"] * TRIES_PER_ACCOUNT
    assert (refused.status_code, code_of(refused), refused["Retry-After"]) == (429, "RATE_LIMITED", "15")
    assert code_of(other_case) == "RATE_LIMITED"
    assert later.status_code == 302


def test_an_address_without_an_account_is_counted_alike(db: None) -> None:
    codes = [code_of(attempt("nobody@example.com")) for _ in range(TRIES_PER_ACCOUNT + 1)]

    assert codes == ["SIGN_IN_FAILED"] * TRIES_PER_ACCOUNT + ["RATE_LIMITED"]


def test_strangers_do_not_keep_somebody_out_of_a_browser_they_used_before(alice: Caller) -> None:
    email, at_home = alice.member.user.email, Client()
    attempt(email, PASSWORD, client=at_home)
    at_home.post("/sign-out/")
    for _ in range(TRIES_PER_ACCOUNT + 1):
        attempt(email)

    stranger = attempt(email, PASSWORD)
    owner = attempt(email, PASSWORD, client=at_home)

    assert (code_of(stranger), owner.status_code) == ("RATE_LIMITED", 302)


def test_a_known_browser_is_counted_too_and_for_its_own_person_alone(alice: Caller, charlie: Caller) -> None:
    at_home = Client()
    attempt(alice.member.user.email, PASSWORD, client=at_home)
    at_home.post("/sign-out/")

    own = [code_of(attempt(alice.member.user.email, client=at_home)) for _ in range(TRIES_PER_ACCOUNT + 1)]
    others = [code_of(attempt(charlie.member.user.email, client=at_home)) for _ in range(TRIES_PER_ACCOUNT)]
    elsewhere = attempt(charlie.member.user.email, PASSWORD)

    assert own[-1] == "RATE_LIMITED"
    assert (set(others), code_of(elsewhere)) == ({"SIGN_IN_FAILED"}, "RATE_LIMITED")
    assert attempt(alice.member.user.email, PASSWORD).status_code == 302


def test_a_made_up_proof_of_a_browser_counts_for_nothing(alice: Caller) -> None:
    client = Client()
    for number in range(TRIES_PER_ACCOUNT):
        client.cookies["known"] = f"made-up-{number}:x"
        attempt(alice.member.user.email, client=client)

    assert code_of(attempt(alice.member.user.email, PASSWORD)) == "RATE_LIMITED"


def test_the_proof_of_a_browser_is_kept_from_scripts(alice: Caller) -> None:
    client = Client()
    attempt(alice.member.user.email, PASSWORD, client=client)

    cookie = client.cookies["known"]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/")
    assert alice.member.user.email not in cookie.value


@pytest.mark.parametrize("ips", [("203.0.113.9", "203.0.113.9"), ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9")])
def test_a_network_may_try_so_often_in_a_minute(alice: Caller, ips: tuple[str, str]) -> None:
    for number in range(TRIES_PER_NETWORK):
        attempt(f"somebody.{number}@example.com", ip=ips[0])

    refused = attempt(alice.member.user.email, PASSWORD, ip=ips[1])
    elsewhere = attempt(alice.member.user.email, PASSWORD, ip="203.0.113.10")

    assert (code_of(refused), elsewhere.status_code) == ("RATE_LIMITED", 302)


def test_tries_that_succeed_are_not_counted(alice: Caller) -> None:
    statuses = {attempt(alice.member.user.email, PASSWORD).status_code for _ in range(TRIES_PER_ACCOUNT + 5)}

    assert statuses == {302}


def test_behind_a_proxy_the_address_it_saw_counts(alice: Caller, settings: Settings) -> None:
    settings.BEHIND_PROXY = True
    for number in range(TRIES_PER_NETWORK):
        claimed = f"192.0.2.{number}, 203.0.113.9"
        Client().post("/sign-in/", {"email": f"x{number}@example.com", "password": "x"}, HTTP_X_FORWARDED_FOR=claimed)

    given = {"email": alice.member.user.email, "password": PASSWORD}
    refused = Client().post("/sign-in/", given, HTTP_X_FORWARDED_FOR="203.0.113.9")
    allowed = Client().post("/sign-in/", given, HTTP_X_FORWARDED_FOR="203.0.113.9, 203.0.113.10")

    assert (code_of(refused), allowed.status_code) == ("RATE_LIMITED", 302)


def test_without_valkey_people_still_sign_in(alice: Caller, settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"

    codes = {code_of(attempt(alice.member.user.email)) for _ in range(TRIES_PER_ACCOUNT + 1)}

    assert codes == {"SIGN_IN_FAILED"}
    assert attempt(alice.member.user.email, PASSWORD).status_code == 302


def test_a_sign_in_link_works_whatever_strangers_try(alice: Caller) -> None:
    for _ in range(TRIES_PER_ACCOUNT + 1):
        attempt(alice.member.user.email)

    assert Client().post(make_link(alice.member.user)).status_code == 302


def test_the_form_of_an_invite_is_no_way_around(alice: Caller) -> None:
    user = make_user()
    _, path = invite_member(alice, email=user.email, role=Role.MEMBER)
    for _ in range(TRIES_PER_ACCOUNT):
        Client().post(path, {"password": "not it"}, REMOTE_ADDR=fresh_ip())

    refused = Client().post(path, {"password": PASSWORD}, REMOTE_ADDR=fresh_ip())

    assert (refused.status_code, code_of(refused), refused["Retry-After"]) == (429, "RATE_LIMITED", "15")


@pytest.mark.parametrize(
    ("email", "password"), [("a\x00b@example.com", "x"), ("", ""), ("a@example.com", "x" * 100_000)]
)
def test_odd_input_signs_nobody_in(db: None, email: str, password: str) -> None:
    refused = attempt(email, password)

    assert (refused.status_code, code_of(refused)) == (422, "SIGN_IN_FAILED")


def test_the_admin_has_no_form_of_its_own(alice: Caller, mia: Caller) -> None:
    User.objects.filter(pk=alice.member.user_id).update(is_staff=True)

    stranger = Client().get("/admin/login/?next=/admin/workspaces/")
    posted = Client().post("/admin/login/", {"username": alice.member.user.email, "password": PASSWORD})
    staff = browser(alice).get("/admin/login/?next=/admin/workspaces/")
    member = browser(mia).get("/admin/login/?next=/admin/")

    assert (stranger.status_code, stranger["Location"]) == (302, "/sign-in/?next=%2Fadmin%2Fworkspaces%2F")
    assert posted.status_code == 405
    assert (staff.status_code, staff["Location"]) == (302, "/admin/workspaces/")
    assert (member.status_code, code_of(member)) == (403, "PAGE_FORBIDDEN")


def test_the_admin_has_no_way_of_its_own_to_a_new_password(alice: Caller) -> None:
    given = {"old_password": PASSWORD, "new_password1": "a new long one", "new_password2": "a new long one"}

    answers = [browser(alice).get("/admin/password_change/"), browser(alice).post("/admin/password_change/", given)]

    assert [(answer.status_code, answer["Location"]) for answer in answers] == [(302, "/account/password/")] * 2
    assert User.objects.get(pk=alice.member.user_id).check_password(PASSWORD)
