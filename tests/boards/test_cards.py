"""Cards: one owner, a revision that counts what matters, a badge that tells what is going on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
import time_machine
from pytest_django import DjangoAssertNumQueries

from bakedbrie.lib.refusals import INVALID_INPUT, NOT_FOUND, REVISION_CONFLICT, Refused
from bakedbrie.lib.toolkit.inputs import parse
from boards.access import get_card, lock_card
from boards.inputs import EditCardIn, ListCardsIn
from boards.models import BoardEvent, Card, CardPlace
from boards.selectors.cards import card_parts, latest_result
from boards.selectors.columns import columns_with_cards
from boards.selectors.events import card_history
from boards.services.boards import set_archived
from boards.services.cards import add_card, edit_card, set_badge
from boards.services.comments import add_comment
from boards.services.members import add_board_member
from boards.services.placing import place_card, reorder_card
from boards.services.rounds import keep_result, start_round
from boards.states import Badge, StageRole
from boards.tools.cards import LIST_CARDS
from tests.factories.boards import make_board, make_card, make_file, stage_of
from tests.factories.workspaces import make_member
from tests.support.races import at_once
from workspaces.caller import Caller
from workspaces.refusals import FORBIDDEN
from workspaces.services.actors import add_agent_actor, automation, retire_actor
from workspaces.services.members import remove_member

LONG_AGO = datetime(2026, 3, 1, 12, tzinfo=UTC)


def list_titles(caller: Caller, **given: object) -> list[str]:
    return [card["title"] for card in LIST_CARDS.handler(caller, parse(ListCardsIn, given))["cards"]]


@pytest.mark.requirement("B024")
def test_a_new_card_stands_at_the_end_and_belongs_to_its_maker(alice: Caller) -> None:
    board = make_board(alice)
    first = make_card(alice, board)

    card = add_card(alice, board=board, stage=stage_of(board), title="Compare", brief="Name one strength of each.")

    assert (card.owner, card.created_by, card.revision, card.badge) == (alice.actor, alice.actor, 1, Badge.IDLE)
    assert (card.title, card.brief) == ("Compare", "Name one strength of each.")
    assert list(Card.objects.filter(stage=stage_of(board)).order_by("place__position")) == [first, card]
    assert BoardEvent.objects.get(card=card).kind == "card_created"


@pytest.mark.requirement("B024", "B025")
def test_the_owner_is_a_person_an_agent_or_an_automation(alice: Caller, mia: Caller) -> None:
    board = make_board(alice)
    card = make_card(alice, board)
    add_board_member(alice, board=board, member=mia.member)
    agent = add_agent_actor(alice.workspace, board_id=board.pk, name="Researcher")

    for owner in (mia.actor, agent, automation(alice.workspace, "Monday import")):
        edited = edit_card(alice, card=card, expected_revision=None, owner=owner)
        assert edited.owner == owner

    card.refresh_from_db()
    assert card.revision == 4


@pytest.mark.requirement("A001", "A018", "B025", "C092")
def test_who_may_not_work_on_the_board_is_answered_like_an_absent_owner(
    alice: Caller, mia: Caller, vic: Caller, charlie: Caller
) -> None:
    board = make_board(alice)
    card = make_card(alice, board)
    gone = make_member(alice, name="Gone Gordon")
    remove_member(alice, member=gone.member)
    add_board_member(alice, board=board, member=vic.member)
    elsewhere = add_agent_actor(alice.workspace, board_id=make_board(alice).pk, name="Of another board")
    retired = add_agent_actor(alice.workspace, board_id=board.pk, name="Retired")
    retire_actor(retired)

    for owner in (charlie.actor, gone.actor, mia.actor, vic.actor, elsewhere, retired):
        with pytest.raises(Refused) as edited:
            edit_card(alice, card=card, expected_revision=None, owner=owner)
        with pytest.raises(Refused) as added:
            make_card(alice, board, owner=owner)
        assert (edited.value.code, added.value.code) == (NOT_FOUND.code, NOT_FOUND.code)

    card.refresh_from_db()
    assert card.owner == alice.actor
    assert Card.objects.count() == 1


@pytest.mark.requirement("C085")
def test_the_revision_counts_text_owner_column_files_and_comments_only(alice: Caller, amir: Caller) -> None:
    board = make_board(alice)
    other, card = make_card(alice, board), make_card(alice, board)

    def revision() -> int:
        card.refresh_from_db()
        return card.revision

    set_badge(card, Badge.BLOCKED, "RULE_LOOP")
    reorder_card(alice, card=card, before=other)
    keep_result(card=card, iteration=start_round(alice, card=card), made_by=alice.actor, markdown="Done.")
    assert revision() == 1

    edit_card(alice, card=card, expected_revision=1, title="Other", brief="Other.")
    assert revision() == 2
    edit_card(alice, card=card, expected_revision=2, owner=amir.actor)
    assert revision() == 3
    add_comment(alice, card=card, text="Look here.")
    assert revision() == 4
    make_file(alice, card)
    assert revision() == 5
    place_card(alice, card=lock_card(card), stage=stage_of(board, StageRole.DONE))
    assert revision() == 6


@pytest.mark.requirement("B046")
def test_a_stale_edit_is_told_the_current_revision_and_changes_nothing(alice: Caller) -> None:
    card = make_card(alice, make_board(alice), title="Compare")
    add_comment(alice, card=card, text="Wait.")

    with pytest.raises(Refused) as refused:
        edit_card(alice, card=card, expected_revision=1, title="Lost")

    assert refused.value.code == REVISION_CONFLICT.code
    assert refused.value.details == {"current_revision": 2}
    card.refresh_from_db()
    assert card.title == "Compare"


@pytest.mark.requirement("B046")
@pytest.mark.django_db(transaction=True)
def test_of_two_edits_at_once_one_wins(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))

    answers = at_once(*[partial(edit_card, alice, card=card, expected_revision=1, title=title) for title in ("A", "B")])

    refused = [answer.code for answer in answers if isinstance(answer, Refused)]
    card.refresh_from_db()
    assert refused == [REVISION_CONFLICT.code]
    assert card.revision == 2


def test_viewers_edit_no_card(alice: Caller, vic: Caller) -> None:
    board = make_board(alice, members=[vic.member])
    card = make_card(alice, board, title="Compare")

    with pytest.raises(Refused) as edited:
        edit_card(vic, card=card, expected_revision=None, title="Mine")
    with pytest.raises(Refused) as added:
        make_card(vic, board)

    assert (edited.value.code, added.value.code) == (FORBIDDEN.code, FORBIDDEN.code)
    card.refresh_from_db()
    assert (card.title, Card.objects.count()) == ("Compare", 1)


@pytest.mark.requirement("C088")
@pytest.mark.parametrize(
    "title",
    [
        "",
        "   ",
        "x" * 301,
        "x" * 1_000_000,
        "two\nlines",
        "a\ttab",
        "\u200b",
        "\u3164",
        "\u2800",
        "\u00ad",
        "\u2066\u2069",
        "photo\u202egnp.exe",
        "\u0301",
        "nul\x00",
        "\ud83d",
    ],
)
def test_titles_that_are_empty_too_long_or_no_line_are_refused(title: str) -> None:
    with pytest.raises(Refused) as refused:
        parse(EditCardIn, {"expected_revision": 1, "title": title})

    assert refused.value.code == INVALID_INPUT.code


@pytest.mark.requirement("C088")
@pytest.mark.parametrize(
    "title",
    ["🧀", "x" * 300, "🧀" * 300, "null", "0", "__proto__", "=SUM(A1)", "مرحبا hello", "Αdmin", "İstanbul"],
    ids=lambda title: ascii(title[:12]),
)
def test_odd_titles_are_kept_as_they_are(alice: Caller, title: str) -> None:
    card = make_card(alice, make_board(alice))
    given = parse(EditCardIn, {"expected_revision": 1, "title": title})

    edit_card(alice, card=card, expected_revision=1, title=given.title)

    assert get_card(alice, card.pk).title == title


@pytest.mark.parametrize("given", [{}, {"brief": "x" * 100_001}, {"title": None}, {"position": 1}])
def test_an_edit_says_what_it_changes_and_stays_within_limits(given: dict[str, object]) -> None:
    with pytest.raises(Refused) as refused:
        parse(EditCardIn, {"expected_revision": 1, **given})

    assert refused.value.code == INVALID_INPUT.code


@pytest.mark.requirement("B006")
def test_the_badge_changes_the_card_and_not_its_column(alice: Caller) -> None:
    with time_machine.travel(LONG_AGO, tick=False):
        card = make_card(alice, make_board(alice))
    stage = card.stage

    with time_machine.travel(LONG_AGO + timedelta(hours=1), tick=False):
        set_badge(card, Badge.WAITING, "AI_ACCOUNT_REQUIRED")
    with time_machine.travel(LONG_AGO + timedelta(hours=2), tick=False):
        set_badge(card, Badge.WAITING, "AI_ACCOUNT_REQUIRED")

    fresh = get_card(alice, card.pk)
    assert (fresh.badge, fresh.badge_reason) == ("waiting", "AI_ACCOUNT_REQUIRED")
    assert fresh.badge_since == card.badge_since == LONG_AGO + timedelta(hours=1)
    assert fresh.stage == stage


def test_cards_are_listed_newest_first_and_filtered(alice: Caller, amir: Caller) -> None:
    board, other = make_board(alice), make_board(alice)
    make_card(alice, board, title="A")
    make_card(alice, board, title="B", owner=amir.actor)
    blocked = make_card(alice, board, title="C", stage=stage_of(board, StageRole.DONE))
    make_card(alice, other, title="D")
    set_badge(blocked, Badge.BLOCKED, "RULE_LOOP")

    assert list_titles(alice) == ["D", "C", "B", "A"]
    assert list_titles(alice, board_id=str(board.pk)) == ["C", "B", "A"]
    assert list_titles(alice, stage_id=str(stage_of(board).pk)) == ["A", "B"]
    assert list_titles(alice, owner=str(amir.actor.pk)) == ["B"]
    assert list_titles(alice, state="blocked") == ["C"]


def test_cards_in_the_trash_and_on_archived_boards_are_not_listed(alice: Caller) -> None:
    board, archived = make_board(alice), make_board(alice)
    trashed = make_card(alice, board, title="trashed")
    make_card(alice, archived, title="archived")
    CardPlace.objects.filter(card=trashed).delete()
    Card.objects.filter(pk=trashed.pk).update(stage=None, trashed_at=LONG_AGO)
    set_archived(alice, board=archived, is_archived=True)

    assert list_titles(alice) == []
    assert list_titles(alice, board_id=str(archived.pk)) == ["archived"]


@pytest.mark.requirement("C092")
def test_nobody_lists_cards_of_boards_they_cannot_open(alice: Caller, mia: Caller, charlie: Caller) -> None:
    board = make_board(alice)
    make_card(alice, board)

    for caller in (mia, charlie):
        assert list_titles(caller) == []
        for given in ({"board_id": str(board.pk)}, {"stage_id": str(stage_of(board).pk)}):
            with pytest.raises(Refused) as refused:
                list_titles(caller, **given)
            assert refused.value.code == NOT_FOUND.code


@pytest.mark.parametrize("cards", [1, 6])
def test_listing_cards_takes_one_query_and_one_per_filter(
    alice: Caller, cards: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    board = make_board(alice)
    for _ in range(cards):
        make_card(alice, board)
    stage_id = str(stage_of(board).pk)

    with django_assert_num_queries(1):
        assert len(list_titles(alice)) == cards
    with django_assert_num_queries(2):
        assert len(list_titles(alice, stage_id=stage_id)) == cards


@pytest.mark.requirement("B027")
@pytest.mark.parametrize("each", [1, 4])
def test_one_card_with_all_its_parts_takes_six_queries(
    alice: Caller, each: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    card = make_card(alice, make_board(alice))
    for n in range(each):
        add_comment(alice, card=card, text=str(n))
        make_file(alice, card)
        keep_result(card=card, iteration=start_round(alice, card=card), made_by=alice.actor, markdown=str(n))

    with django_assert_num_queries(6):
        found = get_card(alice, card.pk)
        parts = card_parts(alice, found)
        authors = {comment.author.name for comment in parts.comments} | {found.owner.name, found.board.name}

    assert [comment.text for comment in parts.comments] == [str(n) for n in range(each)]
    assert parts.comments_total == len(parts.files) == len(parts.rounds) == len(parts.results) == each
    assert authors == {"Alice Archer", "Research"}


@pytest.mark.parametrize("each", [1, 4])
def test_columns_with_cards_take_two_queries(
    alice: Caller, each: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    board = make_board(alice)
    for n in range(each):
        make_card(alice, board, title=str(n))
        make_card(alice, board, title=str(n), stage=stage_of(board, StageRole.DONE))

    with django_assert_num_queries(2):
        columns = columns_with_cards(board, most=3)
        owners = {card.owner.name for column in columns for card in column.cards}

    shown = [str(n) for n in range(min(each, 3))]
    assert [[card.title for card in column.cards] for column in columns] == [shown, [], shown]
    assert [column.total for column in columns] == [each, 0, each]
    assert owners == {"Alice Archer"}


def test_history_is_one_query_newest_first(alice: Caller, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    card = make_card(alice, make_board(alice))
    edit_card(alice, card=card, expected_revision=1, title="Other")
    add_comment(alice, card=card, text="Look.")

    with django_assert_num_queries(1):
        found = card_history(card, cursor=None, limit=2)
        told = [(event.kind, event.actor.name) for event in found.items]

    assert told == [("comment_added", "Alice Archer"), ("card_edited", "Alice Archer")]
    rest = card_history(card, cursor=found.next_cursor, limit=2)
    assert [event.kind for event in rest.items] == ["card_created"]


def test_history_names_fields_and_holds_no_content(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))

    edit_card(alice, card=card, expected_revision=1, brief="A secret plan")

    event = BoardEvent.objects.filter(card=card).latest("id")
    assert event.data == {"fields": ["brief"]}


def test_a_card_without_results_has_none(alice: Caller) -> None:
    assert latest_result(make_card(alice, make_board(alice))) is None
