"""Boards: what a new one has, who opens it, who changes it."""

from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from bakedbrie.lib.refusals import NOT_FOUND, REVISION_CONFLICT, Refused
from bakedbrie.lib.toolkit.inputs import parse
from boards.access import get_board, get_card, get_file, get_stage, is_manager
from boards.inputs import GuidelinesIn, ListBoardsIn
from boards.models import Board, BoardEvent, BoardMember, Card, CardPlace, Stage
from boards.refusals import BOARD_ARCHIVED, NOT_BOARD_MANAGER
from boards.selectors.boards import is_shared, list_boards, members_of_board
from boards.selectors.events import board_history
from boards.services.boards import create_board, edit_board, set_archived
from boards.services.members import add_board_member, remove_board_member
from boards.states import EventKind, StageRole
from boards.tools.boards import LIST_BOARDS, MANAGE_BOARD_GUIDELINES
from tests.factories.boards import make_board, make_card, make_file, stage_of
from tests.factories.workspaces import make_member, token_caller
from tests.support.cast import token_of
from workspaces.caller import Caller
from workspaces.refusals import FORBIDDEN, TOKEN_READ_ONLY, TOKEN_RUNNER_ONLY
from workspaces.roles import Role
from workspaces.services.members import remove_member
from workspaces.services.users import set_active
from workspaces.states import Preset


def kinds(board: Board) -> list[str]:
    return list(BoardEvent.objects.filter(board=board, card=None).order_by("id").values_list("kind", flat=True))


@pytest.mark.requirement("B001", "B004")
def test_a_new_board_has_three_columns_in_order(alice: Caller) -> None:
    board = create_board(alice, name="Research", description="What others do.")

    stages = Stage.objects.filter(board=board).values_list("name", "role", "position")
    assert list(stages) == [("To do", "first", 0), ("Doing", "middle", 1), ("Done", "done", 2)]
    assert (board.revision, board.guidelines, board.archived_at) == (1, "", None)
    assert kinds(board) == ["board_created"]


@pytest.mark.requirement("B001")
def test_the_creator_is_the_first_member_and_a_manager(mia: Caller) -> None:
    board = create_board(mia, name="Research")

    row = BoardMember.objects.get(board=board)
    assert (row.member, row.is_manager) == (mia.member, True)
    assert is_manager(mia, board) is True


@pytest.mark.requirement("B044")
def test_a_board_is_shared_once_a_second_active_member_may_decide_on_it(
    alice: Caller, mia: Caller, vic: Caller
) -> None:
    board, other = make_board(alice), make_board(alice)
    alone = is_shared(board)

    add_board_member(alice, board=board, member=vic.member)
    with_viewer = is_shared(board)
    add_board_member(alice, board=board, member=mia.member)
    with_member, elsewhere = is_shared(board), is_shared(other)
    set_active(mia.member.user, is_active=False)

    assert (alone, with_viewer, with_member, elsewhere) == (False, False, True, False)
    assert is_shared(board) is False
    make_member(alice, role=Role.ADMIN)
    assert (is_shared(board), is_shared(other)) == (True, True)


def test_two_boards_may_bear_one_name(alice: Caller) -> None:
    create_board(alice, name="Research")
    create_board(alice, name="Research")

    assert Board.objects.filter(name="Research").count() == 2


@pytest.mark.requirement("B045", "C092")
def test_members_open_their_boards_and_owners_and_admins_open_all(
    alice: Caller, amir: Caller, mia: Caller, vic: Caller, charlie: Caller
) -> None:
    board = make_board(alice, members=[vic.member])
    card = make_card(alice, board)
    file = make_file(alice, card)

    for caller in (alice, amir, vic):
        assert get_board(caller, str(board.pk)) == board
        assert get_card(caller, str(card.pk)) == card
    for caller in (mia, charlie):
        for look in (
            lambda caller=caller: get_board(caller, str(board.pk)),
            lambda caller=caller: get_stage(caller, str(card.stage_id)),
            lambda caller=caller: get_card(caller, str(card.pk)),
            lambda caller=caller: get_file(caller, str(file.pk)),
        ):
            with pytest.raises(Refused) as refused:
                look()
            assert refused.value.body() == NOT_FOUND().body()


@pytest.mark.requirement("C092")
@pytest.mark.parametrize(
    "spelling",
    ["", "1", "x" * 5000, "00000000-0000-0000-0000-000000000000", "\u0661" * 36],
    ids=lambda spelling: ascii(spelling[:12]),
)
def test_a_misspelt_id_is_answered_like_an_absent_one(alice: Caller, spelling: str) -> None:
    make_board(alice)

    with pytest.raises(Refused) as refused:
        get_board(alice, spelling)

    assert refused.value.body() == NOT_FOUND().body()


@pytest.mark.requirement("B045")
def test_a_member_who_is_taken_off_a_board_sees_it_no_more(alice: Caller, mia: Caller) -> None:
    board = make_board(alice, members=[mia.member])
    assert len(list_boards(mia, include_archived=False, cursor=None, limit=50).items) == 1

    remove_board_member(alice, board=board, member=mia.member)

    assert list_boards(mia, include_archived=False, cursor=None, limit=50).items == []
    assert kinds(board) == ["board_created", "member_added", "member_removed"]


def test_members_are_added_once_and_may_become_managers(alice: Caller, mia: Caller) -> None:
    board = make_board(alice)

    add_board_member(alice, board=board, member=mia.member)
    add_board_member(alice, board=board, member=mia.member)
    assert is_manager(mia, board) is False
    add_board_member(alice, board=board, member=mia.member, is_manager=True)

    assert is_manager(mia, board) is True
    assert kinds(board) == ["board_created", "member_added", "member_changed"]
    assert [row.member for row in members_of_board(board)] == [alice.member, mia.member]


def test_only_managers_change_who_opens_a_board(alice: Caller, mia: Caller, vic: Caller) -> None:
    board = make_board(alice, members=[mia.member])

    with pytest.raises(Refused) as added:
        add_board_member(mia, board=board, member=vic.member)
    with pytest.raises(Refused) as removed:
        remove_board_member(mia, board=board, member=alice.member)

    assert (added.value.code, removed.value.code) == (NOT_BOARD_MANAGER.code, NOT_BOARD_MANAGER.code)
    assert BoardMember.objects.filter(board=board).count() == 2


def test_foreign_and_removed_people_are_not_added(alice: Caller, charlie: Caller) -> None:
    board = make_board(alice)
    gone = make_member(alice, name="Gone Gordon")
    removed = remove_member(alice, member=gone.member)

    for member in (charlie.member, removed):
        with pytest.raises(Refused) as refused:
            add_board_member(alice, board=board, member=member)
        assert refused.value.code == NOT_FOUND.code


def test_boards_are_listed_newest_first_with_counts_and_pages(alice: Caller) -> None:
    older, newer = make_board(alice, name="Older"), make_board(alice, name="Newer")
    make_card(alice, older)
    make_card(alice, older)
    make_card(alice, older, stage=stage_of(older, StageRole.DONE))

    first = LIST_BOARDS.handler(alice, parse(ListBoardsIn, {"limit": 1}))
    second = LIST_BOARDS.handler(alice, parse(ListBoardsIn, {"limit": 1, "cursor": first["next_cursor"]}))

    assert [board["id"] for board in first["boards"]] == [str(newer.pk)]
    assert second["next_cursor"] is None
    assert [(stage["name"], stage["cards"]) for stage in second["boards"][0]["stages"]] == [
        ("To do", 2),
        ("Doing", 0),
        ("Done", 1),
    ]


@pytest.mark.parametrize("boards", [1, 5])
def test_listing_boards_takes_two_queries_however_many_there_are(
    alice: Caller, boards: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(boards):
        make_card(alice, make_board(alice))

    with django_assert_num_queries(2):
        answer = LIST_BOARDS.handler(alice, ListBoardsIn())

    assert len(answer["boards"]) == boards


def test_archived_boards_are_listed_when_asked_for(alice: Caller) -> None:
    board = make_board(alice)
    set_archived(alice, board=board, is_archived=True)

    assert list_boards(alice, include_archived=False, cursor=None, limit=50).items == []
    assert len(list_boards(alice, include_archived=True, cursor=None, limit=50).items) == 1


def test_archiving_and_restoring_once_more_changes_nothing(alice: Caller) -> None:
    board = make_board(alice)

    set_archived(alice, board=board, is_archived=True)
    set_archived(alice, board=board, is_archived=True)
    set_archived(alice, board=board, is_archived=False)
    set_archived(alice, board=board, is_archived=False)

    assert kinds(board) == ["board_created", "board_archived", "board_restored"]


@pytest.mark.requirement("B046")
def test_an_edit_counts_the_revision_and_a_stale_one_is_told_the_current(alice: Caller) -> None:
    board = make_board(alice, name="Research")

    edited = edit_board(alice, board=board, expected_revision=1, name="Competitors")
    with pytest.raises(Refused) as refused:
        edit_board(alice, board=board, expected_revision=1, description="Lost.")

    assert (edited.name, edited.revision) == ("Competitors", 2)
    assert refused.value.code == REVISION_CONFLICT.code
    assert refused.value.details == {"current_revision": 2}
    board.refresh_from_db()
    assert board.description == ""


def test_an_edit_that_changes_nothing_leaves_no_trace(alice: Caller) -> None:
    board = make_board(alice, name="Research")

    edited = edit_board(alice, board=board, expected_revision=1, name="Research")

    assert edited.revision == 1
    assert kinds(board) == ["board_created"]


def test_members_write_guidelines_but_not_the_name(alice: Caller, mia: Caller, vic: Caller) -> None:
    board = make_board(alice, members=[mia.member, vic.member])

    edited = edit_board(mia, board=board, expected_revision=None, guidelines="Cite sources.")
    with pytest.raises(Refused) as renamed:
        edit_board(mia, board=board, expected_revision=None, name="Mine")
    with pytest.raises(Refused) as viewer:
        edit_board(vic, board=board, expected_revision=None, guidelines="Mine.")

    assert edited.guidelines == "Cite sources."
    assert (renamed.value.code, viewer.value.code) == (NOT_BOARD_MANAGER.code, FORBIDDEN.code)
    board.refresh_from_db()
    assert (board.name, board.guidelines) == ("Research", "Cite sources.")


@pytest.mark.requirement("B023")
def test_guidelines_are_set_read_and_cleared(alice: Caller) -> None:
    board_id = str(make_board(alice).pk)

    def call(**given: object) -> tuple[str, int]:
        answer = MANAGE_BOARD_GUIDELINES.handler(alice, parse(GuidelinesIn, {"board_id": board_id, **given}))
        return answer["guidelines"], answer["revision"]

    assert call(action="set", text="Cite sources.") == ("Cite sources.", 2)
    assert call(action="read") == ("Cite sources.", 2)
    assert call(action="clear", expected_revision=2) == ("", 3)
    assert MANAGE_BOARD_GUIDELINES.capabilities == ("api_workflow",)


@pytest.mark.parametrize(
    "given", [{"action": "set"}, {"action": "read", "text": "x"}, {"action": "set", "text": "x" * 8001}]
)
def test_guidelines_refuse_what_does_not_fit_the_action(given: dict[str, str]) -> None:
    with pytest.raises(Refused) as refused:
        parse(GuidelinesIn, {"board_id": "b", **given})

    assert list(refused.value.details["fields"]) == ["text"]  # type: ignore[call-overload]


def test_an_archived_board_takes_no_change(alice: Caller) -> None:
    board = make_board(alice)
    card = make_card(alice, board)
    set_archived(alice, board=board, is_archived=True)

    with pytest.raises(Refused) as edited:
        edit_board(alice, board=board, expected_revision=None, name="Other")
    with pytest.raises(Refused) as added:
        make_card(alice, board)

    assert (edited.value.code, added.value.code) == (BOARD_ARCHIVED.code, BOARD_ARCHIVED.code)
    assert list(Card.objects.filter(board=board)) == [card]
    assert CardPlace.objects.count() == 1


def test_viewers_and_read_only_tokens_create_no_board(alice: Caller, vic: Caller) -> None:
    read_only = token_caller(token_of(alice, Preset.READ_ONLY))

    with pytest.raises(Refused) as viewer:
        create_board(vic, name="Mine")
    with pytest.raises(Refused) as token:
        create_board(read_only, name="Mine")

    assert (viewer.value.code, token.value.code) == (FORBIDDEN.code, TOKEN_READ_ONLY.code)
    assert Board.objects.count() == 0


def test_a_runner_token_reads_no_board(alice: Caller) -> None:
    board = make_board(alice)
    runner = token_caller(token_of(alice, Preset.RUNNER))

    with pytest.raises(Refused) as refused:
        get_board(runner, board.pk)

    assert refused.value.code == TOKEN_RUNNER_ONLY.code


def test_the_history_of_a_board_holds_that_of_its_cards(alice: Caller) -> None:
    board = make_board(alice)
    make_card(alice, board)

    found = board_history(board, cursor=None, limit=50)

    assert [event.kind for event in found.items] == [EventKind.CARD_CREATED, EventKind.BOARD_CREATED]
