"""The pages of the first run."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.test import Client

from bakedbrie.lib.setup_code import setup_path
from tests.factories.workspaces import make_user
from tests.web.pages import code_of, form_of, text_of
from workspaces.models import Member, User, Workspace

pytestmark = pytest.mark.django_db

GIVEN = {
    "name": "Olga",
    "email": "Olga@Example.com",
    "password": "a warm loaf every day",
    "workspace": "Bakery",
    "time_zone": "Europe/Zurich",
}


@pytest.fixture
def link() -> str:
    return setup_path(settings.SECRET_KEY)


def test_a_new_instance_leads_to_where_the_link_is_to_be_found() -> None:
    client = Client()

    first = client.get("/")
    asked = client.get(first["Location"])
    page = client.get(asked["Location"])

    assert (first.status_code, asked.status_code, asked["Location"]) == (302, 302, "/setup/")
    assert (page.status_code, "manage.py setup_link" in text_of(page)) == (200, True)
    assert setup_path(settings.SECRET_KEY) not in text_of(page)


def test_the_form_makes_the_owner_and_lets_them_in(link: str) -> None:
    client = Client()
    form = form_of(client.get(link), link)

    answer = client.post(link, {**form, **GIVEN})

    member = Member.objects.select_related("user", "workspace").get()
    assert (answer.status_code, answer["Location"], answer["Referrer-Policy"]) == (302, "/", "strict-origin")
    assert (member.user.email, member.workspace.name) == ("olga@example.com", "Bakery")
    assert member.workspace.time_zone == "Europe/Zurich"
    assert client.get("/").context["request"].caller.member == member


def test_what_is_wrong_is_said_beside_the_fields_and_what_was_typed_stays(link: str) -> None:
    answer = Client().post(link, {**GIVEN, "email": "olga", "workspace": " "})

    errors = answer.context["form"].errors
    assert (answer.status_code, code_of(answer), sorted(errors)) == (422, "INVALID_INPUT", ["email", "workspace"])
    assert (form_of(answer, link)["name"], form_of(answer, link)["time_zone"]) == ("Olga", "Europe/Zurich")
    assert (form_of(answer, link)["password"], User.objects.count()) == ("", 0)


@pytest.mark.parametrize("method", ["get", "post"])
def test_without_the_code_the_page_says_where_it_is(method: str) -> None:
    answer = getattr(Client(), method)("/setup/guessed/", GIVEN)

    assert (answer.status_code, code_of(answer)) == (403, "SETUP_CODE_WRONG")
    assert User.objects.count() == 0


def test_once_there_is_an_account_the_addresses_are_gone(link: str) -> None:
    make_user()

    answers = [Client().get("/setup/"), Client().get(link), Client().post(link, GIVEN)]

    assert [(answer.status_code, code_of(answer)) for answer in answers] == [(404, "NOT_FOUND")] * 3
    assert Workspace.objects.count() == 0
    assert Client().get("/sign-in/").status_code == 200
