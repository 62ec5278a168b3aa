"""Theme and shortcuts: what a browser may remember, who may choose, and that the first byte of a page knows it."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from tests.factories.boards import make_board
from tests.support.cast import browser
from tests.web.pages import HTMX, code_of, text_of, url
from workspaces.caller import Caller
from workspaces.models import User

pytestmark = pytest.mark.django_db

PREFERENCES = "/preferences/"


def head_of(client: Client, path: str) -> str:
    return text_of(client.get(path)).partition("</head>")[0]


def test_nobody_chose_anything_at_first() -> None:
    head = head_of(Client(), "/docs/access/")

    assert 'data-theme="system" data-shortcuts="on"' in head
    assert '<meta name="color-scheme" content="light dark">' in head


@pytest.mark.parametrize("path", ["/docs/access/", "/docs/", "/nothing/"])
def test_a_theme_that_was_chosen_is_in_the_first_bytes_of_every_page(path: str) -> None:
    client = Client()

    answer = client.post(PREFERENCES, {"theme": "dark"}, headers={"Referer": "http://testserver/docs/"})

    cookie = answer.cookies["bakedbrie_theme"]
    assert (answer.status_code, answer["Location"]) == (302, "http://testserver/docs/")
    assert (cookie.value, cookie["httponly"], cookie["samesite"], cookie["path"]) == ("dark", True, "Lax", "/")
    assert 'data-theme="dark"' in head_of(client, path)
    assert '<meta name="color-scheme" content="dark">' in head_of(client, path)


def test_the_admin_has_the_theme_of_the_pages(alice: Caller) -> None:
    User.objects.filter(pk=alice.member.user.pk).update(is_staff=True, is_superuser=True)
    client = browser(alice)

    client.post(PREFERENCES, {"theme": "light"})
    page = text_of(client.get("/admin/"))

    assert '<meta name="color-scheme" content="light">' in page
    assert 'value="light" aria-pressed="true"' in page
    assert "admin/js/theme.js" not in page


def test_a_page_with_scripts_stays_where_it_is(alice: Caller) -> None:
    client = browser(alice)

    answer = client.post(PREFERENCES, {"shortcuts": "off"}, headers=HTMX)

    board = make_board(alice)
    assert (answer.status_code, answer.content) == (204, b"")
    assert 'data-shortcuts="off"' in head_of(client, url("board", board.pk))


@pytest.mark.parametrize("sent", [{}, {"theme": "pink"}, {"theme": ""}, {"theme": "dark", "shortcuts": "x"}])
def test_what_is_no_choice_is_remembered_by_nobody(sent: dict[str, str]) -> None:
    answer = Client().post(PREFERENCES, sent)

    assert (answer.status_code, code_of(answer)) == (400, "BAD_REQUEST")
    assert not [name for name in answer.cookies if name.startswith("bakedbrie_t")]


@pytest.mark.parametrize("kept", ['"><script>alert(1)</script>', "DARK", "x" * 4000])
def test_a_cookie_that_somebody_typed_counts_for_nothing(kept: str) -> None:
    client = Client()
    client.cookies["bakedbrie_theme"] = kept

    head = head_of(client, "/docs/access/")

    assert 'data-theme="system"' in head
    assert "alert" not in head


def test_a_way_back_that_leads_elsewhere_is_not_taken() -> None:
    answer = Client().post(PREFERENCES, {"theme": "dark"}, headers={"Referer": "https://evil.example/"})

    assert answer["Location"] == "/"


def test_below_a_path_the_choice_stays_below_it(settings: Settings) -> None:
    settings.SESSION_COOKIE_PATH, settings.SESSION_COOKIE_SECURE = "/brie/", True

    cookie = Client().post(PREFERENCES, {"theme": "dark"}).cookies["bakedbrie_theme"]

    assert (cookie["path"], cookie["secure"]) == ("/brie/", True)
