"""The own account: what it shows, what it changes, and that it asks who is there first."""

from __future__ import annotations

from datetime import timedelta

import time_machine
from allauth.usersessions.models import UserSession
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from bakedbrie.lib import clock
from tests.factories.workspaces import PASSWORD, make_user
from tests.support.second_step import code_of_app, turned_on
from tests.web.pages import code_of, form_of, text_of
from workspaces.caller import Caller
from workspaces.models import Actor, User
from workspaces.services.second_step import is_on

QUERIES = 6
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"


def signed_in(user: User, agent: str = FIREFOX) -> Client:
    """Return a browser in which the person has just signed in by password."""
    client = Client(headers={"User-Agent": agent})
    answer = client.post("/sign-in/", {"email": user.email, "password": PASSWORD})
    assert answer.status_code == 302
    return client


def test_a_new_name_is_shown_wherever_the_person_is(alice: Caller) -> None:
    client = signed_in(alice.member.user)

    answer = client.post("/account/name/", {"name": "Alice Baker"})

    assert (answer.status_code, answer["Location"]) == (302, "/account/")
    assert User.objects.get(pk=alice.member.user_id).name == "Alice Baker"
    assert Actor.objects.get(pk=alice.actor.pk).name == "Alice Baker"


def test_a_name_that_shows_nothing_is_refused_beside_its_field(alice: Caller) -> None:
    answer = signed_in(alice.member.user).post("/account/name/", {"name": " "})

    assert (answer.status_code, code_of(answer)) == (422, "INVALID_INPUT")
    assert list(answer.context["form"].errors) == ["name"]


def test_a_person_without_a_workspace_has_an_account_all_the_same(db: None) -> None:
    client = signed_in(make_user("Wanda Without"))

    assert client.get("/account/").status_code == 200


def test_a_new_password_ends_every_other_session(alice: Caller) -> None:
    here, elsewhere = signed_in(alice.member.user), signed_in(alice.member.user)

    refused = here.post("/account/password/", {"password": "short"})
    changed = here.post("/account/password/", {"password": "flour water salt yeast"})

    assert (refused.status_code, code_of(refused)) == (422, "INVALID_INPUT")
    assert (changed.status_code, changed["Location"]) == (302, "/account/")
    assert User.objects.get(pk=alice.member.user_id).check_password("flour water salt yeast")
    assert (here.get("/").status_code, elsewhere.get("/").status_code) == (200, 302)
    assert [one.is_this_one for one in here.get("/account/").context["sessions"]] == [True]


def test_after_a_quarter_of_an_hour_the_person_shows_again_who_they_are(alice: Caller) -> None:
    client = signed_in(alice.member.user)
    with time_machine.travel(clock.now() + timedelta(minutes=16), tick=False):
        asked = client.get("/account/password/")
        not_changed = client.post("/account/password/", {"password": "flour water salt yeast"})
        form = form_of(client.get(asked["Location"]), "/account/confirm/")
        wrong = client.post("/account/confirm/", {**form, "password": "not the one"})
        right = client.post("/account/confirm/", {**form, "password": PASSWORD})
        opened = client.get("/account/password/")

    assert asked["Location"] == "/account/confirm/?next=%2Faccount%2Fpassword%2F"
    assert not_changed["Location"] == "/account/confirm/?next=%2Faccount%2F"
    assert (wrong.status_code, code_of(wrong)) == (422, "SIGN_IN_FAILED")
    assert (right.status_code, right["Location"], opened.status_code) == (302, "/account/password/", 200)
    assert User.objects.get(pk=alice.member.user_id).check_password(PASSWORD)


def test_who_has_a_second_step_shows_it_too(alice: Caller) -> None:
    seed, _ = turned_on(alice.member.user)
    client = Client()
    client.force_login(alice.member.user)

    without = client.post("/account/confirm/", {"password": PASSWORD, "next": "/account/"})
    with_it = client.post(
        "/account/confirm/", {"password": PASSWORD, "code": code_of_app(seed, 1), "next": "/account/"}
    )

    assert (without.status_code, code_of(without)) == (422, "CODE_WRONG")
    assert with_it.status_code == 302
    assert client.get("/account/second-step/off/").status_code == 200


def test_sessions_are_listed_by_what_the_browser_says_of_itself(alice: Caller) -> None:
    phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605 Version/19.0 Safari/604"
    here, _ = signed_in(alice.member.user), signed_in(alice.member.user, phone)

    listed = here.get("/account/").context["sessions"]

    assert [(one.name, one.address, one.is_this_one) for one in listed] == [
        ("Firefox on Linux", "127.0.0.1", True),
        ("Safari on iPhone", "127.0.0.1", False),
    ]


def test_one_session_is_ended_or_all_others_and_nobody_elses(alice: Caller, mia: Caller) -> None:
    here, second, third, hers = (signed_in(who.member.user) for who in (alice, alice, alice, mia))
    ids = {one.session_key: one.pk for one in UserSession.objects.all()}

    foreign = here.post(f"/account/sessions/{ids[hers.session.session_key]}/end/")
    here.post(f"/account/sessions/{ids[second.session.session_key]}/end/")
    after_one = [client.get("/").status_code for client in (here, second, third, hers)]
    here.post("/account/sessions/end-others/")

    assert (foreign.status_code, code_of(foreign)) == (404, "NOT_FOUND")
    assert after_one == [200, 302, 200, 200]
    assert [client.get("/").status_code for client in (here, second, third, hers)] == [200, 302, 302, 200]


def test_the_second_step_is_turned_on_with_a_code_of_the_app(alice: Caller) -> None:
    here, elsewhere = signed_in(alice.member.user), signed_in(alice.member.user)
    page = here.get("/account/second-step/")
    picture = here.get("/account/second-step/picture.svg")
    seed = here.session["second_step_seed"]

    wrong = here.post("/account/second-step/", {"code": "000000"})
    right = here.post("/account/second-step/", {"code": code_of_app(seed)})

    assert seed[:4] in text_of(page)
    assert (picture["Content-Type"], picture.content[:4]) == ("image/svg+xml", b"<svg")
    assert (wrong.status_code, code_of(wrong)) == (422, "CODE_WRONG")
    assert (right.status_code, len(right.context["codes"]), is_on(alice.member.user)) == (200, 10, True)
    assert (here.get("/").status_code, elsewhere.get("/").status_code) == (200, 302)
    assert here.get("/account/second-step/picture.svg").status_code == 404


def test_new_recovery_codes_are_shown_once_and_the_old_ones_end(alice: Caller) -> None:
    _, old = turned_on(alice.member.user)
    client = Client()
    client.force_login(alice.member.user)
    client.post("/account/confirm/", {"password": PASSWORD, "code": old[0], "next": "/account/"})

    made = client.post("/account/recovery-codes/").context["codes"]

    assert len({*made, *old}) == 20
    assert client.get("/account/").context["codes_left"] == 10
    assert made[0] not in text_of(client.get("/account/"))


def test_turning_it_off_takes_the_codes_along(alice: Caller) -> None:
    _, codes = turned_on(alice.member.user)
    client = Client()
    client.force_login(alice.member.user)
    client.post("/account/confirm/", {"password": PASSWORD, "code": codes[0], "next": "/account/"})

    asked = client.get("/account/second-step/off/")
    client.post("/account/second-step/off/")

    assert (asked.status_code, is_on(alice.member.user)) == (200, False)
    assert signed_in(alice.member.user).get("/").status_code == 200


def test_opened_by_a_number_the_page_names_an_address_where_passkeys_work(alice: Caller, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    client = signed_in(alice.member.user)

    by_number = client.get("/account/", headers={"Host": "127.0.0.1:8000"})
    by_name = client.get("/account/", headers={"Host": "localhost:8000"})

    assert by_number.context["named_address"] == "http://localhost:8000/account/"
    assert by_name.context["named_address"] == ""


def test_many_sessions_take_no_more_queries_than_one(
    alice: Caller, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    here = signed_in(alice.member.user)
    with django_assert_num_queries(QUERIES):
        here.get("/account/")
    for _ in range(5):
        signed_in(alice.member.user)

    with django_assert_num_queries(QUERIES):
        assert len(here.get("/account/").context["sessions"]) == 6
