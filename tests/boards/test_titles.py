"""One rule for titles, whatever door they come through."""

from __future__ import annotations

import pytest

from boards.models import Board, Card
from tests.factories.boards import make_board, make_card, stage_of
from tests.support.cast import api, browser
from tests.web.pages import code_of, text_of
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db

REFUSED = {
    "300 and one": "x" * 301,
    "5,000": "x" * 5_000,
    "a million": "x" * 1_000_000,
    "tab": "a\tb",
    "blank": "\u3164",
    "nothing wide": "\u200b",
    "turned": "photo\u202egnp.exe",
    "two lines": "two\nlines",
}
KEPT = {
    "one emoji": ("🧀", "🧀"),
    "300 emoji": ("🧀" * 300, "🧀" * 300),
    "look-alikes": ("Αdmin ａｄｍｉｎ", "Αdmin ａｄｍｉｎ"),
    "two directions": ("مرحبا hello", "مرحبا hello"),
    "formula": ("=1+1", "=1+1"),
    "prototype": ("__proto__", "__proto__"),
    "null": ("null", "null"),
    "nought": ("0", "0"),
    "at": ("@mia", "@mia"),
    "wrapped in nothing": ("\u200b Café \u3164", "Café"),
}


@pytest.fixture
def board(alice: Caller) -> Board:
    return make_board(alice)


@pytest.mark.requirement("C088")
@pytest.mark.parametrize("title", REFUSED.values(), ids=REFUSED)
def test_every_door_refuses_the_same_titles(alice: Caller, board: Board, title: str) -> None:
    client, card = api(alice), make_card(alice, board)
    given = {"board_id": str(board.pk), "title": title}

    answers = [
        client.post("/api/v1/tools/create_card", given, format="json"),
        client.patch(f"/api/v1/cards/{card.pk}", {"expected_revision": 1, "title": title}, format="json"),
    ]
    form = {"stage_id": str(stage_of(board).pk), "title": title}
    page = browser(alice).post(f"/boards/{board.pk}/cards/", form)

    assert [answer.json()["error"]["code"] for answer in answers] == ["INVALID_INPUT", "INVALID_INPUT"]
    assert [list(answer.json()["error"]["fields"]) for answer in answers] == [["title"], ["title"]]
    assert (page.status_code, code_of(page)) == (422, "INVALID_INPUT")
    assert list(Card.objects.values_list("title", flat=True)) == [card.title]


@pytest.mark.requirement("C088")
@pytest.mark.parametrize(("title", "kept"), KEPT.values(), ids=KEPT)
def test_every_door_keeps_the_same_titles(alice: Caller, board: Board, title: str, kept: str) -> None:
    client, page = api(alice), browser(alice)

    client.post("/api/v1/tools/create_card", {"board_id": str(board.pk), "title": title}, format="json")
    page.post(f"/boards/{board.pk}/cards/", {"stage_id": str(stage_of(board).pk), "title": title})

    assert list(Card.objects.values_list("title", flat=True)) == [kept, kept]
    assert text_of(page.get(f"/boards/{board.pk}/")).count(kept) >= 2
