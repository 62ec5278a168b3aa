"""Rows found by SQL that was made once are those that the same query finds anew."""

from __future__ import annotations

from functools import partial

import pytest
from django.db import connection
from django.db.transaction import TransactionManagementError
from django.test.utils import CaptureQueriesContext

from bakedbrie.lib import ids
from bakedbrie.lib.lookups import Lookup
from boards.models import BoardEvent, Card
from boards.states import EventKind
from tests.factories.boards import make_board, make_card
from workspaces.caller import Caller

OF_CARD = Lookup(
    lambda pk: (
        BoardEvent.objects.select_related("actor__member__user", "card__stage", "board__workspace")
        .filter(card=pk, kind=EventKind.CARD_CREATED)
        .order_by("-pk")
    )
)
LOCKED = Lookup(lambda pk: Card.objects.select_for_update(of=("self",)).select_related("board").filter(pk=pk))
UNTOLD = Lookup(lambda pk: Card.objects.select_related("trashed_from", "board").filter(pk=pk))


@pytest.mark.django_db
def test_a_row_comes_with_everything_the_query_selects(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    make_card(alice, card.board)

    with CaptureQueriesContext(connection) as seen:
        found = OF_CARD.first(card.pk)
        assert found is not None
        names = (found.card and found.card.stage and found.card.stage.name, found.board.workspace.name)

    plain = BoardEvent.objects.get(card=card)
    assert len(seen) == 1
    assert found == plain
    assert {field.attname: getattr(found, field.attname) for field in BoardEvent._meta.concrete_fields} == {
        field.attname: getattr(plain, field.attname) for field in BoardEvent._meta.concrete_fields
    }
    assert found.actor.member is not None
    assert (names, found.actor.member.user.email) == (("To do", alice.workspace.name), alice.member.user.email)


@pytest.mark.django_db
def test_one_lookup_finds_many_rows_and_misses_an_absent_one(alice: Caller) -> None:
    board = make_board(alice)
    cards = [make_card(alice, board) for _ in range(3)]

    found = [UNTOLD.first(card.pk) for card in cards]

    assert found == cards
    assert [card and card.trashed_from for card in found] == [None, None, None]
    assert UNTOLD.first(ids.new_id()) is None


@pytest.mark.django_db
def test_what_was_found_may_be_changed_and_saved(alice: Caller) -> None:
    card = UNTOLD.first(make_card(alice, make_board(alice)).pk)
    assert card is not None

    card.title = "Changed"
    card.save(update_fields=["title"])

    assert Card.objects.get(pk=card.pk).title == "Changed"


@pytest.mark.django_db(transaction=True)
def test_locking_outside_a_transaction_is_a_mistake(alice: Caller) -> None:
    lock = partial(LOCKED.first, make_card(alice, make_board(alice)).pk)

    with pytest.raises(TransactionManagementError):
        lock()
