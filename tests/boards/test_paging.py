"""Cursors: opaque, bound to their list, and refused when broken."""

from __future__ import annotations

import base64
import json

import pytest

from bakedbrie.lib.paging import page
from bakedbrie.lib.refusals import INVALID_INPUT, Refused
from boards.models import Board, Card
from tests.factories.boards import make_board, make_card
from workspaces.caller import Caller

BY_ID = ("-id",)
BY_PLACE = ("place__position", "id")


def written(*parts: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 8])
@pytest.mark.parametrize("order", [BY_ID, ("id",), BY_PLACE, ("-place__position", "-id")])
def test_every_row_is_on_one_page_in_order(alice: Caller, limit: int, order: tuple[str, ...]) -> None:
    board = make_board(alice)
    for n in range(7):
        make_card(alice, board, title=str(n))
    rows = Card.objects.select_related("place")
    seen: list[Card] = []
    cursor: str | None = None

    for _ in range(-(-7 // limit)):
        found = page(rows, cursor=cursor, limit=limit, order=order)
        seen += found.items
        cursor = found.next_cursor

    assert seen == list(rows.order_by(*order))
    assert cursor is None


def test_rows_that_come_and_go_shift_nothing(alice: Caller) -> None:
    for name in ("A", "B", "C", "D"):
        make_board(alice, name=name)

    first = page(Board.objects.all(), cursor=None, limit=2, order=BY_ID)
    make_board(alice, name="new")
    Board.objects.filter(name="C").delete()
    second = page(Board.objects.all(), cursor=first.next_cursor, limit=2, order=BY_ID)

    assert [board.name for board in first.items] == ["D", "C"]
    assert [board.name for board in second.items] == ["B", "A"]


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "?",
        "é",
        "bm90IGpzb24",
        written(),
        written("-id"),
        written("-id", "no id"),
        written("-id", "\x00"),
        written("-id", 7),
        written("-id", ["x"]),
        written("-id", "019ad7a4-0000-7000-8000-000000000000", "more"),
        written("id", "019ad7a4-0000-7000-8000-000000000000"),
        base64.urlsafe_b64encode(b"[" * 100_000).decode(),
        base64.urlsafe_b64encode(b"\xff\xfe").decode(),
    ],
    ids=lambda cursor: cursor[:24],
)
def test_a_broken_cursor_is_refused(alice: Caller, cursor: str) -> None:
    with pytest.raises(Refused) as refused:
        page(Board.objects.all(), cursor=cursor, limit=2, order=BY_ID)

    assert refused.value.code == INVALID_INPUT.code
    assert refused.value.details == {"fields": {"cursor": ["is no cursor of this list"]}}


@pytest.mark.parametrize("position", ["x", "1.5", "", "9" * 5000])
def test_a_broken_position_is_refused(alice: Caller, position: str) -> None:
    cursor = written(*BY_PLACE, position, "019ad7a4-0000-7000-8000-000000000000")

    with pytest.raises(Refused) as refused:
        page(Card.objects.all(), cursor=cursor, limit=2, order=BY_PLACE)

    assert refused.value.code == INVALID_INPUT.code


@pytest.mark.parametrize("position", ["9" * 30, "-" + "9" * 30])
def test_a_position_that_no_row_can_have_is_only_far_away(alice: Caller, position: str) -> None:
    make_card(alice, make_board(alice))
    cursor = written(*BY_PLACE, position, "019ad7a4-0000-7000-8000-000000000000")

    found = page(Card.objects.select_related("place"), cursor=cursor, limit=2, order=BY_PLACE)

    assert len(found.items) == (1 if position.startswith("-") else 0)
