"""The second step of signing in: by password, by link and to the admin."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from django.core.management import call_command
from django.test import Client

from bakedbrie.lib import clock
from tests.factories.workspaces import PASSWORD, make_workspace
from tests.support.races import at_once, codes
from tests.support.second_step import code_of_app, turned_on
from tests.web.pages import code_of
from workspaces.caller import Caller
from workspaces.models import User
from workspaces.refusals import CODE_WRONG
from workspaces.roles import Role
from workspaces.services.invites import invite_member
from workspaces.services.passwords import change_password
from workspaces.services.second_step import TRIES_PER_MINUTE, check_code, is_on, recovery_codes_left
from workspaces.services.sign_in_links import make_link
from workspaces.services.tries import Origin
from workspaces.services.users import set_active, set_operator


def half_in(user: User, next_url: str = "/") -> Client:
    """Return a browser in which the person has given their password, and no code yet."""
    client = Client()
    answer = client.post("/sign-in/", {"email": user.email, "password": PASSWORD, "next": next_url})
    assert (answer.status_code, answer["Location"]) == (302, "/sign-in/code/")
    return client


def give(client: Client, code: str) -> tuple[int, str]:
    answer = client.post("/sign-in/code/", {"code": code})
    return answer.status_code, code_of(answer) or answer.get("Location", "")


def test_the_password_alone_does_not_let_in(alice: Caller) -> None:
    seed, _ = turned_on(alice.member.user)
    client = half_in(alice.member.user, "/settings/")

    before = client.get("/").status_code
    wrong = give(client, "000000")
    right = give(client, code_of_app(seed, 1))

    assert (before, wrong, right) == (302, (422, "CODE_WRONG"), (302, "/settings/"))
    assert client.get("/").context["request"].caller.member == alice.member


def test_a_code_of_the_app_counts_once(alice: Caller) -> None:
    seed, _ = turned_on(alice.member.user)  # with the code of now
    first, second = half_in(alice.member.user), half_in(alice.member.user)

    used = give(first, code_of_app(seed))
    later = give(first, code_of_app(seed, 1))
    again = give(second, code_of_app(seed, 1))

    assert [used, later, again] == [(422, "CODE_WRONG"), (302, "/"), (422, "CODE_WRONG")]


def test_a_recovery_code_counts_once_however_it_is_written(alice: Caller) -> None:
    _, recovery = turned_on(alice.member.user)

    given = [give(half_in(alice.member.user), code) for code in (recovery[3].replace("-", " "), recovery[3])]

    assert given == [(302, "/"), (422, "CODE_WRONG")]
    assert recovery_codes_left(alice.member.user) == 9


@pytest.mark.django_db(transaction=True)
def test_of_two_who_give_one_code_at_once_one_is_let_in() -> None:
    user = make_workspace().member.user
    _, recovery = turned_on(user)

    answers = at_once(*[lambda: check_code(user, code=recovery[0], origin=Origin())] * 3)

    assert codes(answers) == ["CODE_WRONG", "CODE_WRONG", "done"]
    assert CODE_WRONG.status == 422


def test_guessing_is_slowed_down_and_the_right_code_waits_too(alice: Caller) -> None:
    seed, _ = turned_on(alice.member.user)
    client = half_in(alice.member.user)

    with time_machine.travel(clock.now().replace(second=5), tick=False):
        tried = {give(client, f"{n:06}")[0] for n in range(TRIES_PER_MINUTE)}
        answer = client.post("/sign-in/code/", {"code": code_of_app(seed, 1)})

    assert (tried, answer.status_code, code_of(answer)) == ({422}, 429, "RATE_LIMITED")
    assert 0 < int(answer["Retry-After"]) <= 60


def test_the_first_step_holds_for_ten_minutes(alice: Caller) -> None:
    seed, _ = turned_on(alice.member.user)
    client = half_in(alice.member.user)

    with time_machine.travel(clock.now() + timedelta(minutes=11), tick=False):
        assert give(client, code_of_app(seed)) == (302, "/sign-in/")
    assert Client().get("/sign-in/code/")["Location"] == "/sign-in/"


@pytest.mark.parametrize("change", ["off", "password"])
def test_what_changed_meanwhile_ends_the_first_step(alice: Caller, mia: Caller, change: str) -> None:
    seed, _ = turned_on(mia.member.user)
    client = half_in(mia.member.user)
    if change == "off":
        set_active(mia.member.user, is_active=False)
    else:
        change_password(User.objects.get(pk=mia.member.user_id), "flour water salt yeast")

    assert give(client, code_of_app(seed, 1)) == (302, "/sign-in/")


def test_a_sign_in_link_is_no_way_around_it(alice: Caller) -> None:
    seed, _ = turned_on(alice.member.user)
    client = Client()

    pressed = client.post(make_link(alice.member.user))

    assert (pressed["Location"], client.get("/").status_code) == ("/sign-in/code/", 302)
    assert give(client, code_of_app(seed, 1)) == (302, "/")


def test_an_operator_passes_it_on_the_way_to_the_admin(alice: Caller) -> None:
    set_operator(alice.member.user, is_operator=True)
    seed, _ = turned_on(alice.member.user)
    client = half_in(alice.member.user, "/admin/")

    before = client.get("/admin/")
    given = give(client, code_of_app(seed, 1))

    assert (before.status_code, given) == (302, (302, "/admin/"))
    assert client.get("/admin/").status_code == 200


def test_an_invitation_is_accepted_after_it(alice: Caller, charlie: Caller) -> None:
    seed, _ = turned_on(charlie.member.user)
    _, link = invite_member(alice, email=charlie.member.user.email, role=Role.MEMBER)
    client = Client()

    first = client.post(link, {"password": PASSWORD})
    joined_before = charlie.member.user.memberships.count()
    given = give(client, code_of_app(seed, 1))
    client.post(link)

    assert (first["Location"], joined_before, given) == ("/sign-in/code/", 1, (302, link))
    assert charlie.member.user.memberships.count() == 2


def test_an_operator_turns_it_off_for_who_lost_everything(alice: Caller, capsys: pytest.CaptureFixture[str]) -> None:
    turned_on(alice.member.user)

    call_command("sign_in_link", alice.member.user.email, "--without-second-step")

    assert "/sign-in/link/" in capsys.readouterr().out
    assert (is_on(alice.member.user), Authenticator.objects.count()) == (False, 0)


def test_nothing_that_codes_follow_from_lies_open_in_the_database(alice: Caller) -> None:
    seed, recovery = turned_on(alice.member.user)

    kept = str(list(Authenticator.objects.values_list("data", flat=True)))

    assert seed not in kept
    assert not any(code in kept or code.replace("-", "") in kept for code in recovery)
