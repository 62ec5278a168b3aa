"""Comments, rounds of work and results."""

from __future__ import annotations

import hashlib
from functools import partial

import pytest

from bakedbrie.lib.refusals import INVALID_INPUT, NOT_FOUND, Refused
from bakedbrie.lib.toolkit.inputs import parse
from boards.inputs import AddCommentIn
from boards.models import BoardEvent, Comment, Iteration
from boards.refusals import BOARD_ARCHIVED
from boards.selectors.cards import latest_result, list_comments
from boards.services.boards import set_archived
from boards.services.comments import add_comment
from boards.services.rounds import keep_result, start_round
from boards.tools.comments import ADD_COMMENT
from tests.factories.boards import make_board, make_card
from tests.support.races import at_once
from workspaces.caller import Caller
from workspaces.refusals import FORBIDDEN


@pytest.mark.requirement("B035")
def test_a_comment_keeps_author_time_and_text(alice: Caller, mia: Caller) -> None:
    card = make_card(alice, make_board(alice, members=[mia.member]))

    answer = ADD_COMMENT.handler(mia, parse(AddCommentIn, {"card_id": str(card.pk), "text": "Look\nhere."}))

    comment = Comment.objects.get()
    assert (comment.author, comment.text) == (mia.actor, "Look\nhere.")
    assert answer["comment"]["author"] == {"id": str(mia.actor.pk), "kind": "member", "name": "Mia Moreau"}
    assert answer["comment"]["created_at"].endswith("Z")


@pytest.mark.parametrize(
    "text",
    ["", " \n\t ", "\u200b\u200d", "\u3164", "\u2800 \u00ad", "x" * 20_001, "nul\x00"],
    ids=lambda text: ascii(text[:12]),
)
def test_empty_and_endless_comments_are_refused(text: str) -> None:
    with pytest.raises(Refused) as refused:
        parse(AddCommentIn, {"card_id": "c", "text": text})

    assert refused.value.code == INVALID_INPUT.code


def test_the_longest_comment_is_kept(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    given = parse(AddCommentIn, {"card_id": str(card.pk), "text": "🧀" * 20_000})

    add_comment(alice, card=card, text=given.text)

    assert len(Comment.objects.get().text) == 20_000


def test_viewers_strangers_and_archived_boards_take_no_comment(
    alice: Caller, vic: Caller, mia: Caller, charlie: Caller
) -> None:
    board = make_board(alice, members=[vic.member])
    card = make_card(alice, board)
    given = parse(AddCommentIn, {"card_id": str(card.pk), "text": "Mine"})
    codes = []

    for caller in (vic, mia, charlie):
        with pytest.raises(Refused) as refused:
            ADD_COMMENT.handler(caller, given)
        codes.append(refused.value.code)
    set_archived(alice, board=board, is_archived=True)
    with pytest.raises(Refused) as archived:
        ADD_COMMENT.handler(alice, given)

    assert codes == [FORBIDDEN.code, NOT_FOUND.code, NOT_FOUND.code]
    assert archived.value.code == BOARD_ARCHIVED.code
    assert Comment.objects.count() == 0


def test_comments_are_read_newest_first_page_after_page(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    for n in range(5):
        add_comment(alice, card=card, text=str(n))

    first = list_comments(card, cursor=None, limit=3)
    second = list_comments(card, cursor=first.next_cursor, limit=3)

    assert [comment.text for comment in first.items] == ["4", "3", "2"]
    assert [comment.text for comment in second.items] == ["1", "0"]


@pytest.mark.django_db(transaction=True)
def test_comments_at_once_each_count(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))

    at_once(*[partial(add_comment, alice, card=card, text=str(n)) for n in range(8)])

    card.refresh_from_db()
    assert (Comment.objects.count(), card.revision) == (8, 9)


def test_rounds_count_up_per_card(alice: Caller, mia: Caller) -> None:
    board = make_board(alice)
    card, other = make_card(alice, board), make_card(alice, board)

    first = start_round(alice, card=card)
    second = start_round(mia, card=card)

    assert (first.n, first.started_by) == (1, alice.actor)
    assert (second.n, second.started_by) == (2, mia.actor)
    assert start_round(alice, card=other).n == 1


@pytest.mark.django_db(transaction=True)
def test_rounds_started_at_once_have_numbers_of_their_own(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))

    at_once(*[partial(start_round, alice, card=card) for _ in range(6)])

    numbers = Iteration.objects.filter(card=card).order_by("n").values_list("n", flat=True)
    assert list(numbers) == [1, 2, 3, 4, 5, 6]


def test_the_newest_result_is_the_cards_and_carries_the_hash_of_its_text(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    iteration = start_round(alice, card=card)

    keep_result(card=card, iteration=iteration, made_by=alice.actor, markdown="# First")
    kept = keep_result(card=card, iteration=iteration, made_by=alice.actor, markdown="# Zoë")

    event = BoardEvent.objects.filter(card=card).latest("id")
    assert latest_result(card) == kept
    assert kept.sha256 == hashlib.sha256("# Zoë".encode()).hexdigest()
    assert (event.kind, event.data["sha256"], event.data["n"]) == ("result_kept", kept.sha256, 1)
