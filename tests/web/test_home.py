"""The first page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from boards.services.boards import set_archived
from boards.services.cards import set_badge
from boards.states import Badge
from tests.factories.boards import make_board, make_card
from tests.support.cast import browser
from tests.web.pages import HTMX, text_of
from workspaces.caller import Caller


@pytest.mark.requirement("B006")
def test_home_counts_cards_by_state_and_names_those_that_need_somebody(alice: Caller) -> None:
    board = make_board(alice, name="Bread")
    for badge, reason in [
        (Badge.WAITING, "AI_ACCOUNT_REQUIRED"),
        (Badge.BLOCKED, "AI_REFUSED"),
        (Badge.WAITING, "QUEUED"),
    ]:
        set_badge(make_card(alice, board, title=f"Card {reason}"), badge, reason)
    make_card(alice, board, title="Card idle")

    page = browser(alice).get("/").context["page"]

    assert [(line.board.name, line.counts) for line in page.boards] == [
        ("Bread", {Badge.BLOCKED: 1, Badge.WAITING: 2, Badge.IDLE: 1})
    ]
    assert [card.title for card in page.needs] == ["Card AI_ACCOUNT_REQUIRED", "Card AI_REFUSED"]
    assert page.needs_total == 2


@pytest.mark.requirement("W007")
def test_home_shows_the_boards_a_member_may_open_and_no_others(alice: Caller, mia: Caller, charlie: Caller) -> None:
    shared = make_board(alice, name="Shared", members=[mia.member])
    closed = make_board(alice, name="Closed")
    set_badge(make_card(alice, closed), Badge.BLOCKED, "AI_REFUSED")
    set_archived(alice, board=make_board(alice, name="Old", members=[mia.member]), is_archived=True)

    seen_by_mia = browser(mia).get("/").context["page"]
    seen_by_charlie = browser(charlie).get("/").context["page"]

    assert [line.board for line in seen_by_mia.boards] == [shared]
    assert (seen_by_mia.needs, seen_by_mia.needs_total) == ((), 0)
    assert seen_by_charlie.boards == ()


def test_htmx_gets_the_piece_and_a_browser_the_page(alice: Caller) -> None:
    client = browser(alice)

    piece, page = client.get("/", headers=HTMX), client.get("/")

    assert "<html" not in text_of(piece)
    assert "<html" in text_of(page)


def test_home_takes_as_many_queries_for_many_boards_as_for_one(
    alice: Caller, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    client: Client = browser(alice)
    _fill(alice, boards=1)
    with django_assert_max_num_queries(20) as one:
        client.get("/")
    _fill(alice, boards=6)

    with django_assert_max_num_queries(20) as many:
        client.get("/")

    assert len(many) == len(one)


def _fill(caller: Caller, *, boards: int) -> None:
    for n in range(boards):
        board = make_board(caller, name=f"Board {n}")
        set_badge(make_card(caller, board), Badge.BLOCKED, "AI_REFUSED")
