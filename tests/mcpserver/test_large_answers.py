"""A large board, as a client with a limit for each answer reads it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from boards.models import Board, Card, CardPlace, Comment
from boards.services.placing import GAP
from tests.factories.boards import make_board, make_card
from tests.support.cast import token_of
from tests.support.mcp import McpClient, post, rpc
from workspaces.caller import Caller

CARDS = 2_000
MOST_BYTES = 60_000  # 25,000 tokens, which Claude Code lets through, are more than that


@pytest.fixture
def board(address: str, alice: Caller) -> Board:
    board = make_board(alice)
    stage = board.stages.order_by("position")[0]
    cards = Card.objects.bulk_create(
        Card(board=board, stage=stage, title=f"Card {n}", brief="b" * 4_000, owner=alice.actor, created_by=alice.actor)
        for n in range(CARDS)
    )
    places = [CardPlace(card=card, stage=stage, position=(n + 1) * GAP) for n, card in enumerate(cards)]
    CardPlace.objects.bulk_create(places)
    Comment.objects.bulk_create(Comment(card=cards[0], author=alice.actor, text="c" * 1_000) for _ in range(50))
    return board


@pytest.mark.requirement("C011")
@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
def test_every_answer_fits_the_limit_of_a_client(address: str, alice: Caller, board: Board, era: str) -> None:
    token = token_of(alice)
    card = Card.objects.order_by("pk")[0]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("list_cards", {"board_id": str(board.pk)}),
        ("read_board", {"board_id": str(board.pk)}),
        ("read_card", {"card_id": str(card.pk)}),
    ]

    answers = [
        post(address, rpc("tools/call", {"name": name, "arguments": given}, era=era), token=token, era=era)
        for name, given in calls
    ]

    assert [answer.json()["result"]["isError"] for answer in answers] == [False, False, False]
    texts = [answer.json()["result"]["content"][0]["text"] for answer in answers]
    assert [len(text.encode()) for text in texts if len(text.encode()) > MOST_BYTES] == []
    shown = json.loads(texts[2])["untrusted_data"]["card"]
    assert (len(shown["comments"]), shown["comments_total"]) == (40, 50)
    assert ["structuredContent" in answer.json()["result"] for answer in answers] == [False, True, False]


@pytest.mark.requirement("C011")
def test_the_pages_hold_each_card_once_while_one_is_added(address: str, alice: Caller, board: Board) -> None:
    client = McpClient(address, token_of(alice))
    before = {str(pk) for pk in Card.objects.values_list("pk", flat=True)}
    found: list[str] = []
    cursor: str | None = None

    for page in range(CARDS):
        asked = {"cursor": cursor} if cursor else {}
        answer = client.answer("list_cards", board_id=str(board.pk), **asked)["untrusted_data"]
        found += [card["id"] for card in answer["cards"]]
        cursor = answer["next_cursor"]
        if page == 1:
            make_card(alice, board)
        if cursor is None:
            break

    assert len(found) == len(set(found))
    assert before <= set(found)
