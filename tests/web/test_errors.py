"""Error pages: each says what to do, with the request id; and a browser is told when to come back."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError, connection
from django.test import Client, RequestFactory
from pytest_django.fixtures import Settings

from bakedbrie.lib.refusals import RATE_LIMITED
from bakedbrie.lib.web import errors
from boards.models import Comment
from tests.factories.boards import make_board, make_card
from tests.support.cast import browser
from tests.web.pages import HTMX, code_of, text_of, url
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db


def a_request(method: str = "get") -> Any:
    request = getattr(RequestFactory(), method)("/boards/?q=1")
    request.request_id = "ask-9"
    return request


def during(error: Exception) -> Any:
    """Ask for the page of a crash as Django does: while it handles the exception."""
    try:
        raise error
    except type(error):
        return errors.server_error(a_request())


def test_an_address_that_takes_a_form_says_so_when_it_is_opened(alice: Caller) -> None:
    board = make_board(alice)

    answer = browser(alice).get(url("add-card", board.pk))

    assert (answer.status_code, code_of(answer), answer["Allow"]) == (405, "PAGE_METHOD", "POST")
    assert answer["X-Request-Id"] in text_of(answer)
    assert answer["Content-Security-Policy"]


def test_a_piece_and_the_api_keep_their_own_ways(alice: Caller) -> None:
    client = browser(alice)

    piece = client.get("/preferences/", headers=HTMX)
    machine = client.post("/live/access")

    assert (piece.status_code, piece["HX-Retarget"], "<html" in text_of(piece)) == (405, "#notices", False)
    assert (machine.status_code, machine.content) == (405, b"")


@pytest.mark.parametrize("error", [OperationalError("no route"), InterfaceError("closed")])
def test_a_database_that_is_away_is_told_from_a_bug(error: Exception) -> None:
    away, bug = during(error), during(KeyError("x"))

    assert (away.status_code, code_of(away), away["Retry-After"]) == (503, "UNAVAILABLE", "10")
    assert (bug.status_code, code_of(bug), bug.has_header("Retry-After")) == (500, "INTERNAL_ERROR", False)
    assert 'href="/boards/?q=1">Try again' in text_of(away)


def test_without_a_database_the_page_comes_all_the_same(alice: Caller) -> None:
    client = browser(alice)
    client.raise_request_exception = False

    def away(*_: object) -> object:
        raise OperationalError("no route")

    with connection.execute_wrapper(away):
        answer = client.get("/docs/")

    assert (answer.status_code, code_of(answer)) == (503, "UNAVAILABLE")


def test_too_many_calls_say_when_to_come_back() -> None:
    answer = errors.error_page(a_request(), RATE_LIMITED(retry_after_s=30))

    assert (answer.status_code, code_of(answer), answer["Retry-After"]) == (429, "RATE_LIMITED", "30")


def test_a_form_that_was_sent_is_not_offered_again() -> None:
    answer = errors.error_page(a_request("post"), RATE_LIMITED(retry_after_s=30))

    assert "Try again</a>" not in text_of(answer)


def test_more_than_can_be_sent_at_once_is_told_so(alice: Caller, settings: Settings) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    card = make_card(alice, make_board(alice))
    client = browser(alice)

    body = "text=" + "x" * 2000
    answer = client.post(url("add-comment", card.pk), body, content_type="application/x-www-form-urlencoded")

    assert (answer.status_code, code_of(answer)) == (413, "PAGE_TOO_LARGE")
    assert Comment.objects.count() == 0
    assert errors.bad_request(a_request(), RequestDataTooBig()).status_code == 413


def test_a_body_that_nobody_read_is_no_expired_form(settings: Settings) -> None:
    settings.FILES_MAX_BYTES = 3_000_000
    request = a_request("post")
    request.META["CONTENT_LENGTH"] = "3000001"

    assert code_of(errors.form_expired(request)) == "PAGE_TOO_LARGE"
    request.META["CONTENT_LENGTH"] = "3000000"
    assert code_of(errors.form_expired(request)) == "FORM_EXPIRED"


def test_a_stranger_is_led_to_sign_in_and_a_member_to_the_boards(alice: Caller) -> None:
    stranger, member = text_of(Client().get("/nothing/")), text_of(browser(alice).get("/nothing/"))

    assert 'href="/sign-in/">Sign in' in stranger
    assert "Go to your boards" not in stranger
    assert "Go to your boards" in member


def test_what_is_off_is_named_with_who_may_switch_it_on(alice: Caller, mia: Caller) -> None:
    address, link = url("destinations"), f'href="{url("settings-capabilities")}#switch-destinations"'

    owner, member = (browser(who).get(address) for who in (alice, mia))
    piece = browser(mia).get(address, headers=HTMX)

    assert [code_of(one) for one in (owner, member, piece)] == ["CAPABILITY_OFF"] * 3
    assert [link in text_of(one) for one in (owner, member, piece)] == [True, False, False]
    assert ["“Destinations” is off in this workspace" in text_of(one) for one in (owner, member, piece)] == [True] * 3
    assert [f"Ask {alice.actor.name}" in text_of(one) for one in (owner, member, piece)] == [False, True, True]
