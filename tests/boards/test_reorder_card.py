"""The order of a column, whatever happens to it at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

import pytest
from django.db import transaction

from bakedbrie.lib.refusals import INVALID_INPUT, NOT_FOUND, Refused
from bakedbrie.lib.toolkit.inputs import parse
from boards.access import lock_card
from boards.inputs import ListCardsIn, ReorderCardIn
from boards.models import Board, BoardEvent, Card, CardPlace, Stage
from boards.refusals import BOARD_ARCHIVED, NOT_SAME_STAGE
from boards.selectors.cards import list_cards
from boards.selectors.columns import columns_with_cards
from boards.services.boards import set_archived
from boards.services.placing import GAP, between, place_card, reorder_card
from boards.states import EventKind, StageRole
from boards.tools.cards import REORDER_CARD
from tests.factories.boards import make_board, make_card, stage_of
from tests.support.races import DEADLINE_S, at_once
from workspaces.caller import Caller
from workspaces.refusals import FORBIDDEN


def titles(stage: Stage) -> list[str]:
    return list(Card.objects.filter(stage=stage).order_by("place__position").values_list("title", flat=True))


def make_cards(caller: Caller, board: Board, *names: str) -> dict[str, Card]:
    return {name: make_card(caller, board, title=name) for name in names}


def fill(caller: Caller, board: Board, count: int) -> list[Card]:
    """Put many cards into the first column without asking the service for each."""
    first, actor = stage_of(board), caller.actor
    cards = Card.objects.bulk_create(
        Card(board=board, stage=first, title=str(n), owner=actor, created_by=actor) for n in range(count)
    )
    places = [CardPlace(card=card, stage=first, position=n) for n, card in enumerate(cards)]
    CardPlace.objects.bulk_create(places)
    return cards


def squeeze(*cards: Card) -> None:
    """Leave no number between these neighbours."""
    for n, card in enumerate(cards):
        CardPlace.objects.filter(card=card).update(position=n + 1)


@pytest.mark.requirement("B034")
def test_a_card_goes_directly_before_or_after_the_card_that_is_named(alice: Caller) -> None:
    board = make_board(alice)
    cards = make_cards(alice, board, "A", "B", "C", "D")
    first = stage_of(board)

    reorder_card(alice, card=cards["D"], before=cards["B"])
    assert titles(first) == ["A", "D", "B", "C"]

    reorder_card(alice, card=cards["A"], after=cards["C"])
    assert titles(first) == ["D", "B", "C", "A"]

    reorder_card(alice, card=cards["A"], before=cards["D"])
    assert titles(first) == ["A", "D", "B", "C"]

    reorder_card(alice, card=cards["D"], after=cards["A"])
    assert titles(first) == ["A", "D", "B", "C"]


def test_the_tool_reorders_and_shows_the_card(alice: Caller) -> None:
    board = make_board(alice)
    cards = make_cards(alice, board, "A", "B")

    given = parse(ReorderCardIn, {"card_id": str(cards["B"].pk), "before_card_id": str(cards["A"].pk)})
    answer = REORDER_CARD.handler(alice, given)

    assert answer["card"]["id"] == str(cards["B"].pk)
    assert titles(stage_of(board)) == ["B", "A"]


def test_order_is_no_change_of_the_card(alice: Caller) -> None:
    board = make_board(alice)
    cards = make_cards(alice, board, "A", "B")
    events = BoardEvent.objects.count()
    changed_at = cards["B"].updated_at

    reorder_card(alice, card=cards["B"], before=cards["A"])

    cards["B"].refresh_from_db()
    assert cards["B"].revision == 1
    assert cards["B"].updated_at == changed_at
    assert BoardEvent.objects.count() == events


@pytest.mark.requirement("C084")
@pytest.mark.django_db(transaction=True)
def test_twenty_cards_dropped_into_one_gap_at_once_each_appear_once(alice: Caller) -> None:
    board = make_board(alice)
    first = stage_of(board)
    cards = make_cards(alice, board, "A", "B", "C", *(f"X{n}" for n in range(20)))
    squeeze(*cards.values())

    moves = [partial(reorder_card, alice, card=cards[f"X{n}"], before=cards["B"]) for n in range(20)]
    answers = at_once(*moves)

    order = titles(first)
    assert [answer for answer in answers if isinstance(answer, BaseException)] == []
    assert sorted(order) == sorted(cards)
    assert (order[0], order[-2:]) == ("A", ["B", "C"])
    assert [card.title for card in columns_with_cards(board, most=50)[0].cards] == order


@pytest.mark.requirement("C084")
def test_two_hundred_new_cards_between_the_first_two(alice: Caller) -> None:
    board = make_board(alice)
    cards = fill(alice, board, 202)

    for card in cards[2:]:
        reorder_card(alice, card=card, after=cards[0])

    assert titles(stage_of(board)) == ["0", *(str(n) for n in reversed(range(2, 202))), "1"]


@pytest.mark.requirement("C084")
def test_a_thousand_cards_and_the_last_one_dragged_to_the_top_fifty_times(alice: Caller) -> None:
    board = make_board(alice)
    cards = fill(alice, board, 1000)

    for n in range(50):
        reorder_card(alice, card=cards[999 - n], before=cards[1000 - n] if n else cards[0])

    expected = [str(n) for n in range(950, 1000)] + [str(n) for n in range(950)]
    assert titles(stage_of(board)) == expected


@pytest.mark.requirement("C084")
def test_a_neighbour_that_left_the_column_is_refused_and_nothing_moves(alice: Caller) -> None:
    board = make_board(alice)
    cards = make_cards(alice, board, "A", "B", "C")
    place_card(alice, card=lock_card(cards["B"]), stage=stage_of(board, StageRole.MIDDLE))

    with pytest.raises(Refused) as refused:
        reorder_card(alice, card=cards["C"], before=cards["B"])

    assert refused.value.code == NOT_SAME_STAGE.code
    assert titles(stage_of(board)) == ["A", "C"]
    assert titles(stage_of(board, StageRole.MIDDLE)) == ["B"]


@pytest.mark.requirement("C084")
def test_a_card_that_was_moved_meanwhile_stays_where_it_was_put(alice: Caller) -> None:
    board = make_board(alice)
    cards = make_cards(alice, board, "A", "B")
    place_card(alice, card=lock_card(cards["B"]), stage=stage_of(board, StageRole.MIDDLE))

    with pytest.raises(Refused) as refused:
        reorder_card(alice, card=cards["B"], before=cards["A"])

    assert refused.value.code == NOT_SAME_STAGE.code
    assert titles(stage_of(board, StageRole.MIDDLE)) == ["B"]


@pytest.mark.requirement("C084")
@pytest.mark.django_db(transaction=True)
def test_cards_that_change_places_between_two_columns_at_once_each_appear_once(alice: Caller) -> None:
    board = make_board(alice)
    first, middle = stage_of(board), stage_of(board, StageRole.MIDDLE)
    cards = make_cards(alice, board, *(str(n) for n in range(10)))

    @transaction.atomic
    def move(card: Card, stage: Stage) -> Card:
        return place_card(alice, card=lock_card(card), stage=stage)

    for n in range(5):
        move(cards[str(n)], middle)

    targets = [first] * 5 + [middle] * 5
    jobs: list[Callable[[], Card]] = [partial(move, cards[str(n)], target) for n, target in enumerate(targets)]
    answers = at_once(*jobs)

    assert [answer for answer in answers if isinstance(answer, BaseException)] == []
    assert sorted(titles(first)) == ["0", "1", "2", "3", "4"]
    assert sorted(titles(middle)) == ["5", "6", "7", "8", "9"]
    assert CardPlace.objects.filter(stage=first).count() == 5


@pytest.mark.requirement("C084")
@pytest.mark.django_db(transaction=True)
def test_spreading_a_column_waits_for_no_card_that_somebody_else_holds(alice: Caller) -> None:
    board = make_board(alice)
    cards = make_cards(alice, board, "A", "B", "C", "D")
    squeeze(*cards.values())
    is_held, is_spread = threading.Event(), threading.Event()

    @transaction.atomic
    def hold_then_move() -> None:
        held = lock_card(cards["A"])
        is_held.set()
        assert is_spread.wait(timeout=DEADLINE_S)
        place_card(alice, card=held, stage=stage_of(board, StageRole.MIDDLE))

    def spread() -> None:
        assert is_held.wait(timeout=DEADLINE_S)
        reorder_card(alice, card=cards["D"], before=cards["B"])
        is_spread.set()

    answers = at_once(hold_then_move, spread)

    assert answers == [None, None]
    assert titles(stage_of(board)) == ["D", "B", "C"]
    assert titles(stage_of(board, StageRole.MIDDLE)) == ["A"]


@pytest.mark.requirement("C084")
def test_itself_another_column_another_board_and_a_foreign_card_are_no_neighbours(
    alice: Caller, charlie: Caller
) -> None:
    board = make_board(alice)
    cards = make_cards(alice, board, "A", "B")
    elsewhere = make_card(alice, board, stage=stage_of(board, StageRole.DONE))
    on_another_board = make_card(alice, make_board(alice))
    foreign = make_card(charlie, make_board(charlie))

    for neighbour in (cards["A"], elsewhere, on_another_board):
        with pytest.raises(Refused) as refused:
            reorder_card(alice, card=cards["A"], after=neighbour)
        assert refused.value.code == NOT_SAME_STAGE.code
    given = parse(ReorderCardIn, {"card_id": str(cards["A"].pk), "after_card_id": str(foreign.pk)})
    with pytest.raises(Refused) as refused:
        REORDER_CARD.handler(alice, given)

    assert refused.value.code == NOT_FOUND.code
    assert titles(stage_of(board)) == ["A", "B"]


@pytest.mark.parametrize("neighbours", [{}, {"before_card_id": "a", "after_card_id": "b"}])
def test_exactly_one_neighbour_is_named(neighbours: dict[str, str]) -> None:
    with pytest.raises(Refused) as refused:
        parse(ReorderCardIn, {"card_id": "c", **neighbours})

    assert refused.value.code == INVALID_INPUT.code
    assert list(refused.value.details["fields"]) == ["before_card_id"]  # type: ignore[call-overload]


@pytest.mark.requirement("C084")
def test_reading_page_after_page_shows_no_card_twice_while_cards_are_reordered(alice: Caller) -> None:
    board = make_board(alice)
    cards = make_cards(alice, board, *(str(n) for n in range(9)))
    seen: list[str] = []
    cursor = None

    for n in range(3):
        found = list_cards(alice, ListCardsIn(board_id=str(board.pk), cursor=cursor, limit=3))
        seen += [card.title for card in found.items]
        cursor = found.next_cursor
        reorder_card(alice, card=cards[str(n)], before=cards[str(8 - n)])

    assert seen == [str(n) for n in reversed(range(9))]
    assert cursor is None


def test_a_column_is_listed_in_its_order_page_after_page(alice: Caller) -> None:
    board = make_board(alice)
    cards = make_cards(alice, board, "A", "B", "C", "D", "E")
    reorder_card(alice, card=cards["E"], before=cards["A"])
    stage_id = str(stage_of(board).pk)

    first = list_cards(alice, ListCardsIn(stage_id=stage_id, limit=3))
    second = list_cards(alice, ListCardsIn(stage_id=stage_id, limit=3, cursor=first.next_cursor))

    assert [card.title for card in first.items] == ["E", "A", "B"]
    assert [card.title for card in second.items] == ["C", "D"]
    assert second.next_cursor is None


def test_viewers_and_archived_boards_keep_their_order(alice: Caller, vic: Caller) -> None:
    board = make_board(alice, members=[vic.member])
    cards = make_cards(alice, board, "A", "B")

    with pytest.raises(Refused) as viewer:
        reorder_card(vic, card=cards["B"], before=cards["A"])
    set_archived(alice, board=board, is_archived=True)
    with pytest.raises(Refused) as closed:
        reorder_card(alice, card=cards["B"], before=cards["A"])

    assert viewer.value.code == FORBIDDEN.code
    assert closed.value.code == BOARD_ARCHIVED.code
    assert titles(stage_of(board)) == ["A", "B"]


def test_a_move_goes_to_the_end_counts_as_a_change_and_is_history(alice: Caller) -> None:
    board = make_board(alice)
    middle = stage_of(board, StageRole.MIDDLE)
    make_card(alice, board, stage=middle, title="already there")
    card = make_card(alice, board, title="moved")

    moved = place_card(alice, card=lock_card(card), stage=middle)

    event = BoardEvent.objects.filter(card=card).latest("id")
    assert titles(middle) == ["already there", "moved"]
    assert (moved.revision, moved.stage) == (2, middle)
    assert event.kind == EventKind.CARD_MOVED
    assert (event.data["from_name"], event.data["to_name"]) == ("To do", "Doing")


def test_a_move_may_name_its_neighbour(alice: Caller) -> None:
    board = make_board(alice)
    middle = stage_of(board, StageRole.MIDDLE)
    there = make_card(alice, board, stage=middle, title="already there")
    card = make_card(alice, board, title="moved")

    place_card(alice, card=lock_card(card), stage=middle, before=there)

    assert titles(middle) == ["moved", "already there"]


def test_a_card_cannot_be_placed_on_another_board(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    other = make_board(alice)

    with pytest.raises(Refused) as refused:
        place_card(alice, card=lock_card(card), stage=stage_of(other))

    assert refused.value.code == NOT_FOUND.code


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        (None, None, GAP),
        (5, None, 5 + GAP),
        (None, 5, 5 - GAP),
        (0, 10, 5),
        (-3, -1, -2),
        (-1, 0, None),
        (7, 8, None),
        (2**62, None, None),
        (None, -(2**62), None),
    ],
)
def test_a_position_lies_strictly_between_its_neighbours(
    lower: int | None, upper: int | None, expected: int | None
) -> None:
    assert between(lower, upper) == expected
