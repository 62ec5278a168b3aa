"""The first page of somebody new: adding a board, and how an assistant is connected."""

from __future__ import annotations

import pytest

from boards.access import is_manager
from boards.models import Board, BoardEvent
from boards.states import EventKind
from tests.factories.boards import make_board
from tests.support.cast import browser
from tests.web.pages import HTMX, code_of, form_of, has_form, text_of, url
from workspaces.caller import Caller

HOSTILE = '<script>alert("1")</script>'
ESCAPED = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;"


@pytest.mark.requirement("B004")
def test_a_member_adds_a_board_and_is_led_to_it(mia: Caller) -> None:
    client = browser(mia)
    form = form_of(client.get("/"), url("add-board"))

    answer = client.post(url("add-board"), {**form, "name": " Bread ", "description": "Daily.\r\nAll of it."})

    board = Board.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, url("board", board.pk))
    assert (board.name, board.description, is_manager(mia, board)) == ("Bread", "Daily.\nAll of it.", True)
    assert [stage.name for stage in board.stages.order_by("position")] == ["To do", "Doing", "Done"]


def test_htmx_takes_the_whole_window_to_the_new_board(mia: Caller) -> None:
    client = browser(mia)
    form = form_of(client.get("/"), url("add-board"))

    answer = client.post(url("add-board"), {**form, "name": "Bread"}, headers=HTMX)

    assert (answer.status_code, answer["HX-Redirect"]) == (204, url("board", Board.objects.get().pk))


@pytest.mark.requirement("C089", "W059")
def test_a_board_that_is_sent_twice_is_added_once(mia: Caller) -> None:
    client = browser(mia)
    form = form_of(client.get("/"), url("add-board"))

    answers = [client.post(url("add-board"), {**form, "name": "Bread"}) for _ in range(3)]

    assert {answer["Location"] for answer in answers} == {url("board", Board.objects.get().pk)}
    assert BoardEvent.objects.filter(kind=EventKind.BOARD_CREATED).count() == 1


def test_a_refused_board_keeps_what_was_typed_and_can_be_sent_again(mia: Caller) -> None:
    client = browser(mia)
    form = form_of(client.get("/"), url("add-board"))

    refused = client.post(url("add-board"), {**form, "name": "  ", "description": HOSTILE}, headers=HTMX)

    assert (refused.status_code, code_of(refused)) == (422, "INVALID_INPUT")
    assert "<script>alert" not in text_of(refused)
    again = form_of(refused, url("add-board"))
    assert (again["description"], again["request_id"] != form["request_id"]) == (HOSTILE, True)
    assert Board.objects.count() == 0
    assert client.post(url("add-board"), {**again, "name": HOSTILE}).status_code == 302
    assert ESCAPED in text_of(client.get("/"))


@pytest.mark.requirement("W004")
def test_a_viewer_sees_no_form_for_a_board_and_is_refused(vic: Caller) -> None:
    client = browser(vic)

    page = client.get("/")
    refused = client.post(url("add-board"), {"name": "No"})

    assert not has_form(page, url("add-board"))
    assert (refused.status_code, code_of(refused)) == (403, "FORBIDDEN")
    assert Board.objects.count() == 0


def test_the_first_page_says_where_an_assistant_connects(alice: Caller) -> None:
    without = text_of(browser(alice).get("/"))
    make_board(alice)
    with_boards = text_of(browser(alice).get("/"))

    for page in (without, with_boards):
        assert '/mcp" readonly' in page
        assert url("own-tokens") in page
    assert ('id="connect" data-keep open' in without, 'id="connect" data-keep open' in with_boards) == (True, False)
