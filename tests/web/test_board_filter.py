"""The filter of a board, its counts, more cards of a column, and the pieces that are fetched while others work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from boards.models import Board, Card
from boards.services.cards import set_badge
from boards.services.comments import add_comment
from boards.services.placing import reorder_card
from boards.states import Badge, StageRole
from tests.factories.boards import make_board, make_card, make_file, stage_of
from tests.support.cast import browser
from tests.web.pages import HTMX, code_of, text_of, url
from workspaces.caller import Caller


@pytest.fixture
def board(alice: Caller, mia: Caller, vic: Caller) -> Board:
    return make_board(alice, name="Bread", members=[mia.member, vic.member])


def found(client: Client, board: Board, query: str) -> list[list[str]]:
    """Return the titles that the board shows, column by column."""
    columns = client.get(f"{url('board', board.pk)}?{query}").context["columns"]
    return [[card.title for card in item["column"].cards] for item in columns]


@pytest.mark.requirement("C088")
@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("q=flour", ["Weigh the flour"]),
        ("q=FLOUR+weigh", ["Weigh the flour"]),
        ("q=rye", ["Weigh the flour", "100 % rye_bread"]),
        ("q=%25", ["100 % rye_bread"]),
        ("q=_bread", ["100 % rye_bread"]),
        ("q=" + quote("ZOË"), ["Ask Zoë"]),
        ("q=" + quote("Zoe\u0308"), ["Ask Zoë"]),
        ("q=%3Cscript%3E", []),
        ("state=blocked", ["Ask Zoë"]),
        ("owner=me", ["Weigh the flour", "100 % rye_bread"]),
        ("owner=nobody", []),
        ("q=rye&owner=me&state=idle", ["Weigh the flour", "100 % rye_bread"]),
        ("q=&state=&owner=&utm=1", ["Weigh the flour", "100 % rye_bread", "Ask Zoë"]),
    ],
)
def test_cards_are_found_by_words_of_title_and_brief_by_state_and_by_owner(
    alice: Caller, mia: Caller, board: Board, query: str, titles: list[str]
) -> None:
    make_card(alice, board, title="Weigh the flour", brief="For the rye.")
    make_card(alice, board, title="100 % rye_bread", brief="")
    set_badge(make_card(mia, board, title="Ask Zoë", brief=""), Badge.BLOCKED, "API_UNAVAILABLE")

    assert found(browser(alice), board, query)[0] == titles


def test_the_filter_counts_exactly_and_is_offered_again_as_it_was(alice: Caller, mia: Caller, board: Board) -> None:
    for n in range(25):
        make_card(mia if n % 2 else alice, board, title=f"Bake {n}")
    make_card(alice, board, title="Sweep")

    page = browser(alice).get(url("board", board.pk), {"q": "bake", "owner": str(mia.actor.pk)})

    column = page.context["columns"][0]["column"]
    assert (column.total, column.found, len(column.cards), column.left) == (26, 12, 12, 0)
    assert (page.context["found"], page.context["total"]) == (12, 26)
    assert f'value="{mia.actor.pk}" selected' in text_of(page)
    assert 'name="q" value="bake"' in text_of(page)


@pytest.mark.parametrize("query", [{"state": "asleep"}, {"q": "x" * 201}, {"q": "a\x00"}, {"shown": "many"}])
def test_a_filter_that_makes_no_sense_is_refused_in_place(alice: Caller, board: Board, query: dict[str, str]) -> None:
    make_card(alice, board, title="Still here")

    refused = browser(alice).get(url("board", board.pk), query)

    assert (refused.status_code, code_of(refused)) == (422, "INVALID_INPUT")
    assert "Still here" in text_of(refused)


def test_a_card_that_the_filter_hides_is_added_all_the_same_and_that_is_told(alice: Caller, board: Board) -> None:
    headers = {**HTMX, "HX-Current-URL": f"http://testserver{url('board', board.pk)}?q=flour"}
    given = {"stage_id": str(stage_of(board).pk), "title": "Salt"}

    answer = browser(alice).post(url("add-card", board.pk), given, headers=headers)

    assert "The filter hides it." in answer["HX-Trigger"]
    assert [item["column"].found for item in answer.context["columns"]] == [0, 0, 0]
    assert Card.objects.get().title == "Salt"


def test_more_cards_follow_the_last_one_and_begin_anew_when_that_has_left(alice: Caller, board: Board) -> None:
    cards = [make_card(alice, board, title=f"{n}") for n in range(80)]
    other = make_card(alice, board, title="Elsewhere", stage=stage_of(board, StageRole.DONE))
    client, address = browser(alice), url("column", stage_of(board).pk)

    more, anew = (client.get(address, {"after": str(after.pk)}, headers=HTMX).context for after in (cards[19], other))
    last = client.get(address, {"after": str(cards[69].pk), "q": "7"}, headers=HTMX)

    assert [card.title for card in more["cards"]] == [str(n) for n in range(20, 70)]
    assert (more["left"], [card.title for card in anew["cards"]][:2]) == (10, ["0", "1"])
    assert ([card.title for card in last.context["cards"]], last.context["left"]) == (
        [str(n) for n in range(70, 80)],
        0,
    )
    assert "<html" not in text_of(last)


def test_changed_cards_come_with_their_places_and_the_counts(alice: Caller, board: Board) -> None:
    one, two, three = (make_card(alice, board, title=title) for title in ("One", "Two", "Three"))
    reorder_card(alice, card=three, before=two)
    foreign = make_card(alice, make_board(alice, name="Other"))

    answer = browser(alice).get(
        url("tiles", board.pk), {"card": [str(card.pk) for card in (two, three, foreign)]}, headers=HTMX
    )

    assert [(card.title, card.previous) for card in answer.context["cards"]] == [("Three", one.pk), ("Two", three.pk)]
    assert [column.total for column in answer.context["columns"]] == [3, 0, 0]


def test_a_viewer_finds_and_looks_but_is_offered_no_moves(vic: Caller, alice: Caller, board: Board) -> None:
    card = make_card(alice, board)
    client = browser(vic)

    pages = [
        client.get(url("board", board.pk)),
        client.get(url("tiles", board.pk), {"card": str(card.pk)}, headers=HTMX),
        client.get(url("peek-card", card.pk), headers=HTMX),
    ]

    assert [(page.status_code, url("move-card", card.pk) in text_of(page)) for page in pages] == [(200, False)] * 3


@pytest.mark.parametrize("piece", ["board", "tiles", "column", "peek"])
def test_each_piece_takes_as_many_queries_for_many_cards_as_for_few(
    alice: Caller, board: Board, piece: str, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    cards = _filled(alice, board, 2)
    address = {
        "board": f"{url('board', board.pk)}?q=card&owner=me",
        "tiles": f"{url('tiles', board.pk)}?card={cards[0].pk}&card={cards[1].pk}&q=card",
        "column": f"{url('column', stage_of(board).pk)}?after={cards[0].pk}&q=card",
        "peek": url("peek-card", cards[0].pk),
    }[piece]
    client = browser(alice)
    with django_assert_max_num_queries(14) as few:
        client.get(address, headers=HTMX)
    _filled(alice, board, 30)

    with django_assert_max_num_queries(14) as many:
        client.get(address, headers=HTMX)

    assert len(many) == len(few)


def test_a_long_board_is_sent_in_part_and_counted_whole(alice: Caller, board: Board) -> None:
    _filled(alice, board, 120)

    page = browser(alice).get(url("board", board.pk))
    again = browser(alice).get(url("board", board.pk), {"shown": "70"}, headers=HTMX)

    assert [(item["column"].total, len(item["column"].cards)) for item in page.context["columns"]] == [
        (120, 20),
        (0, 0),
        (0, 0),
    ]
    assert len(again.context["columns"][0]["column"].cards) == 70


def _filled(caller: Caller, board: Board, cards: int) -> list[Card]:
    made = []
    for n in range(cards):
        card = make_card(caller, board, title=f"Card {n}")
        if n < 3:
            make_file(caller, card)
            add_comment(caller, card=card, text="Noted.")
        made.append(card)
    return made


@pytest.mark.parametrize("address", ["http://[", "//[x", "http://x/?q=%FF%00", "?" + "q=a&" * 500])
def test_an_odd_address_of_the_page_breaks_nothing(alice: Caller, board: Board, address: str) -> None:
    answer = browser(alice).get(url("board", board.pk), headers={**HTMX, "HX-Current-URL": address})

    assert answer.status_code in {200, 422}
