"""The trash: what goes in, what it keeps out meanwhile, and what starts when a card comes back."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.models import Turn
from bakedbrie.lib.refusals import Refused
from boards.access import get_card
from boards.inputs import ListCardsIn
from boards.models import BoardEvent, Card, CardPlace
from boards.selectors.cards import list_cards
from boards.services.cards import edit_card
from boards.services.comments import add_comment
from boards.services.files import add_file, remove_file
from boards.services.placing import reorder_card
from boards.services.rounds import start_round
from boards.services.stages import delete_stage
from boards.states import Badge, EventKind
from tests.factories.boards import make_card, make_file
from tests.factories.workflows import Line
from tests.support.cast import api
from tests.support.jobs import Ran
from tests.support.races import at_once, codes
from workflows.services.archive import archive_board
from workflows.services.cards import restore_card, trash_card
from workflows.services.moves import preview_move
from workspaces.caller import Caller
from workspaces.states import Preset

pytestmark = pytest.mark.django_db

Drain = Callable[..., Ran]


def trash(line: Line) -> Card:
    return trash_card(line.caller, card=line.card)


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(Refused) as refused:
        call()
    return refused.value.code


def kinds(card: Card) -> list[str]:
    return list(BoardEvent.objects.filter(card=card).order_by("pk").values_list("kind", flat=True))


def test_a_card_in_the_trash_stands_in_no_column(line: Line) -> None:
    trashed = trash(line)

    card = line.fresh_card()
    assert (card.stage_id, card.trashed_from_id, card.trashed_at is not None) == (None, line.todo.pk, True)
    assert (card.revision, card.badge) == (trashed.revision, Badge.IDLE)
    assert card.revision == line.card.revision + 1
    assert not CardPlace.objects.filter(card=card).exists()
    assert kinds(card) == [EventKind.CARD_CREATED, EventKind.CARD_TRASHED]


def test_a_card_comes_back_to_the_end_of_its_column(line: Line) -> None:
    trash(line)
    neighbour = make_card(line.caller, line.board)

    restored = restore_card(line.caller, card=line.fresh_card())

    card = line.fresh_card()
    order = CardPlace.objects.filter(stage=line.todo).order_by("position").values_list("card", flat=True)
    assert (card.stage_id, card.trashed_from_id, card.trashed_at) == (line.todo.pk, None, None)
    assert list(order) == [neighbour.pk, card.pk]
    assert (restored.revision, card.revision) == (line.card.revision + 2, line.card.revision + 2)
    assert kinds(card)[-1] == EventKind.CARD_RESTORED


def test_a_card_whose_column_was_deleted_comes_back_to_the_first_one(line: Line) -> None:
    extra = line.add_stage("Extra")
    card = make_card(line.caller, line.board, stage=extra)
    trash_card(line.caller, card=card)
    delete_stage(line.caller, stage=extra)

    restored = restore_card(line.caller, card=get_card(line.caller, card.pk))

    assert restored.stage_id == line.todo.pk


def test_a_card_that_comes_back_starts_what_starts_there(line: Line, drain_jobs: Drain) -> None:
    card = make_card(line.caller, line.board, stage=line.doing)
    trash_card(line.caller, card=card)
    drain_jobs()
    assert not Turn.objects.exists()

    restore_card(line.caller, card=get_card(line.caller, card.pk))
    drain_jobs()

    turn = Turn.objects.get()
    assert (turn.card_id, turn.state) == (card.pk, "done")
    assert get_card(line.caller, card.pk).stage_id == line.done.pk


def test_a_done_card_comes_back_done(line: Line) -> None:
    card = make_card(line.caller, line.board, stage=line.done)
    trash_card(line.caller, card=card)

    restore_card(line.caller, card=get_card(line.caller, card.pk))

    assert get_card(line.caller, card.pk).badge == Badge.DONE


def test_a_card_that_a_turn_holds_stays(line: Line, drain_jobs: Drain) -> None:
    line.start()

    held = code_of(partial(trash_card, line.caller, card=line.card))
    drain_jobs()

    assert held == "CARD_BUSY"
    assert trash(line).trashed_at is not None


def test_doing_it_twice_changes_nothing(line: Line) -> None:
    first = trash(line)
    again = trash(line)
    restore_card(line.caller, card=line.card)
    start = kinds(line.card)

    restored = restore_card(line.caller, card=line.card)

    assert (again.revision, again.trashed_at) == (first.revision, first.trashed_at)
    assert restored.revision == first.revision + 1
    assert kinds(line.card) == start


def test_nothing_changes_a_card_in_the_trash(line: Line) -> None:
    caller, file = line.caller, make_file(line.caller, line.card)
    neighbour = make_card(caller, line.board)
    stale = line.fresh_card()
    before = trash(line).revision
    for card in (stale, line.fresh_card()):
        acts: dict[str, Callable[[], object]] = {
            "edit": partial(edit_card, caller, card=card, expected_revision=None, title="Other"),
            "comment": partial(add_comment, caller, card=card, text="Hello"),
            "file": partial(add_file, caller, card=card, name="a.txt", stream=io.BytesIO(b"a")),
            "remove": partial(remove_file, caller, file=file),
            "round": partial(start_round, caller, card=card),
        }
        assert {name: code_of(act) for name, act in acts.items()} == dict.fromkeys(acts, "CARD_TRASHED")

    card = line.fresh_card()
    assert code_of(partial(reorder_card, caller, card=card, before=neighbour)) == "CARD_TRASHED"
    assert code_of(partial(reorder_card, caller, card=stale, before=neighbour)) == "NOT_SAME_STAGE"
    assert code_of(partial(reorder_card, caller, card=neighbour, before=card)) == "NOT_SAME_STAGE"
    assert code_of(partial(preview_move, caller, card=card, stage=line.doing)) == "CARD_TRASHED"
    assert (card.revision, card.comments.count(), card.files.count()) == (before, 0, 1)


def test_nothing_is_trashed_or_restored_on_an_archived_board(line: Line) -> None:
    other = make_card(line.caller, line.board)
    trash(line)
    archive_board(line.caller, board=line.board)

    assert code_of(partial(trash_card, line.caller, card=other)) == "BOARD_ARCHIVED"
    assert code_of(partial(restore_card, line.caller, card=line.card)) == "BOARD_ARCHIVED"


def test_the_trash_is_listed_apart(line: Line, charlie: Caller) -> None:
    there = make_card(line.caller, line.board, title="There")
    trash(line)

    def listed(caller: Caller, given: ListCardsIn) -> list[object]:
        return [card.pk for card in list_cards(caller, given).items]

    assert listed(line.caller, ListCardsIn()) == [there.pk]
    assert listed(line.caller, ListCardsIn(in_trash=True)) == [line.card.pk]
    assert listed(line.caller, ListCardsIn(in_trash=True, board_id=str(line.board.pk))) == [line.card.pk]
    assert listed(charlie, ListCardsIn(in_trash=True)) == []


def test_the_trash_over_rest(line: Line, vic: Caller, charlie: Caller) -> None:
    line.let_in(vic)
    path = f"/api/v1/cards/{line.card.pk}"
    client = api(line.caller)

    refused = [
        one.post(f"{path}/{act}").json()["error"]["code"]
        for act in ("trash", "restore")
        for one in (api(vic), api(line.caller, Preset.READ_ONLY), api(charlie))
    ]
    trashed = client.post(f"{path}/trash", headers={"X-Request-Id": "one"})
    listed = client.get("/api/v1/cards", {"in_trash": "true"}).json()["cards"]
    impossible = client.get("/api/v1/cards", {"in_trash": "true", "stage_id": str(line.todo.pk)})
    restored = client.post(f"{path}/restore")
    repeated = client.post(f"{path}/trash", headers={"X-Request-Id": "one"})

    assert refused == ["FORBIDDEN", "TOKEN_READ_ONLY", "NOT_FOUND"] * 2
    assert (trashed.status_code, trashed.json()["card"]["stage_id"]) == (200, None)
    assert [(card["id"], card["trashed_at"]) for card in listed] == [
        (str(line.card.pk), trashed.json()["card"]["trashed_at"])
    ]
    assert impossible.json()["error"]["fields"].keys() == {"in_trash"}
    assert (restored.status_code, restored.json()["card"]["stage_id"]) == (200, str(line.todo.pk))
    assert repeated.json() == trashed.json()
    assert line.fresh_card().stage_id == line.todo.pk


def test_boards_are_archived_and_restored_over_rest(line: Line, mia: Caller, charlie: Caller) -> None:
    line.let_in(mia)
    path = f"/api/v1/boards/{line.board.pk}"
    turn, client = line.start(), api(line.caller)

    refused = [one.post(f"{path}/archive").json()["error"]["code"] for one in (api(mia), api(charlie))]
    archived = client.post(f"{path}/archive").json()["board"]
    turn.refresh_from_db()
    closed = client.post(f"/api/v1/cards/{line.card.pk}/trash").json()["error"]["code"]
    restored = client.post(f"{path}/restore").json()["board"]

    assert refused == ["NOT_BOARD_MANAGER", "NOT_FOUND"]
    assert (archived["archived"], turn.state, closed) == (True, "canceled", "BOARD_ARCHIVED")
    assert restored["archived"] is False


def test_a_full_column_costs_no_more_queries(line: Line) -> None:
    def cost(card: Card) -> tuple[int, int]:
        with CaptureQueriesContext(connection) as put:
            trash_card(line.caller, card=card)
        with CaptureQueriesContext(connection) as taken:
            restore_card(line.caller, card=card)
        return len(put), len(taken)

    little = cost(line.card)
    cards = [make_card(line.caller, line.board) for _ in range(10)]
    add_comment(line.caller, card=cards[4], text="Hello")

    assert cost(cards[4]) == little
    assert little == (12, 13)


@pytest.mark.django_db(transaction=True)
def test_of_a_start_and_a_trashing_at_once_one_happens(line: Line) -> None:
    outcomes = at_once(line.start, partial(trash_card, line.caller, card=line.card))

    held = Turn.objects.filter(card=line.card, finished_at__isnull=True).exists()
    assert codes(outcomes) in (["CARD_BUSY", "done"], ["CARD_TRASHED", "done"])
    assert held == (line.fresh_card().trashed_at is None)


@pytest.mark.django_db(transaction=True)
def test_two_restores_at_once_start_one_round(line: Line) -> None:
    card = make_card(line.caller, line.board, stage=line.doing)
    trash_card(line.caller, card=card)

    outcomes = at_once(*[partial(restore_card, line.caller, card=card)] * 2)

    assert codes(outcomes) == ["done", "done"]
    assert Turn.objects.filter(card=card).count() == 1
    assert card.iterations.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_column_that_is_deleted_while_its_card_comes_back_does_no_harm(line: Line) -> None:
    extra = line.add_stage("Extra")
    card = make_card(line.caller, line.board, stage=extra)
    trash_card(line.caller, card=card)

    outcomes = at_once(partial(restore_card, line.caller, card=card), partial(delete_stage, line.caller, stage=extra))

    stage_id = get_card(line.caller, card.pk).stage_id
    assert (codes(outcomes), stage_id) in ((["done", "done"], line.todo.pk), (["STAGE_NOT_EMPTY", "done"], extra.pk))


@pytest.mark.requirement("C084")
@pytest.mark.django_db(transaction=True)
def test_cards_that_are_trashed_restored_and_dragged_at_once_each_appear_once(line: Line) -> None:
    caller = line.caller
    a, b, c, d = [make_card(caller, line.board, title=title) for title in "ABCD"]
    trash_card(caller, card=d)

    outcomes = at_once(
        partial(trash_card, caller, card=b),
        partial(reorder_card, caller, card=a, before=b),
        partial(reorder_card, caller, card=b, after=c),
        partial(restore_card, caller, card=d),
    )

    placed = list(CardPlace.objects.filter(stage=line.todo).values_list("card", flat=True))
    standing = set(Card.objects.filter(stage=line.todo).values_list("pk", flat=True))
    assert set(codes(outcomes)) <= {"NOT_SAME_STAGE", "done"}
    assert len(placed) == len(set(placed)) == 4
    assert set(placed) == standing == {line.card.pk, a.pk, c.pk, d.pk}
