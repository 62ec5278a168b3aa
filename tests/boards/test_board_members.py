"""Who opens a board and who manages it: over REST, on the audit trail, and after somebody left and came back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from bakedbrie.lib.refusals import Refused
from boards.access import get_board, get_card, is_manager
from boards.models import Board, BoardEvent, BoardMember
from boards.selectors.boards import members_of_board
from boards.services.members import add_board_member, change_board_member, remove_board_member
from tests.factories.boards import make_board, make_card
from tests.factories.workspaces import caller_of, make_member
from tests.support.cast import api
from tests.support.races import at_once, codes
from workspaces.caller import Caller
from workspaces.models import AuditEntry
from workspaces.roles import Role
from workspaces.services.members import add_member, change_role, remove_member
from workspaces.states import Preset

pytestmark = pytest.mark.django_db


@pytest.fixture
def board(alice: Caller) -> Board:
    return make_board(alice)


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(Refused) as refused:
        call()
    return refused.value.code


def audit(alice: Caller) -> list[tuple[str, object]]:
    trail = AuditEntry.objects.filter(workspace=alice.workspace, verb__startswith="board_member").order_by("pk")
    return [(entry.verb, entry.data["is_manager"]) for entry in trail]


@pytest.mark.requirement("B045")
def test_members_are_let_in_changed_and_let_out_over_rest(alice: Caller, mia: Caller, board: Board) -> None:
    path, client = f"/api/v1/boards/{board.pk}/members", api(alice)
    mine = f"{path}/{mia.member.pk}"

    added = client.post(path, {"member_id": str(mia.member.pk)}, format="json")
    listed = api(mia).get(path).json()
    promoted = client.patch(mine, {"is_manager": True}, format="json")
    manages = is_manager(caller_of(mia.member), board)
    removed = client.delete(mine)
    gone = client.patch(mine, {"is_manager": False}, format="json")

    shown = {"member_id": str(mia.member.pk), "name": "Mia Moreau", "role": "member", "is_manager": False}
    assert (added.status_code, added.json()["member"]) == (200, shown)
    assert (listed["members"][1:], listed["next_cursor"]) == ([shown], None)
    assert (promoted.json()["member"]["is_manager"], manages) == (True, True)
    assert (removed.status_code, removed.json()["removed"]) == (200, True)
    assert (gone.status_code, api(mia).get(path).status_code) == (404, 404)
    assert audit(alice) == [
        ("board_member.added", False),
        ("board_member.changed", True),
        ("board_member.removed", True),
    ]
    kinds = BoardEvent.objects.filter(kind__startswith="member").order_by("pk").values_list("kind", flat=True)
    assert list(kinds) == ["member_added", "member_changed", "member_removed"]


def test_members_are_listed_page_after_page_at_one_cost(alice: Caller, board: Board) -> None:
    def read(**query: str) -> tuple[int, dict[str, list[dict[str, str]]]]:
        with CaptureQueriesContext(connection) as seen:
            answer = client.get(f"/api/v1/boards/{board.pk}/members", query).json()
        return len(seen), answer

    client = api(alice)
    client.get("/api/v1/token")
    one, _ = read()
    for number in range(4):
        add_board_member(alice, board=board, member=make_member(alice, f"Member {number}").member)
    five, first = read(limit="3")
    _, second = read(limit="3", cursor=str(first["next_cursor"]))

    names = [member["name"] for member in first["members"] + second["members"]]
    assert names == ["Alice Archer", "Member 0", "Member 1", "Member 2", "Member 3"]
    assert one == five == 3


def test_only_managers_with_full_control_change_members(
    alice: Caller, mia: Caller, vic: Caller, charlie: Caller, board: Board
) -> None:
    for caller in (mia, vic):
        add_board_member(alice, board=board, member=caller.member)
    path = f"/api/v1/boards/{board.pk}/members"
    before = list(BoardMember.objects.order_by("pk").values_list("member", "is_manager"))

    refused = {
        client.post(path, {"member_id": str(mia.member.pk), "is_manager": True}, format="json").json()["error"]["code"]
        for client in (api(mia), api(mia, Preset.READ_ONLY), api(vic), api(charlie))
    }
    closed = {
        client.delete(f"{path}/{alice.member.pk}").json()["error"]["code"]
        for client in (api(mia), api(alice, Preset.READ_ONLY), api(charlie))
    }

    assert refused == {"NOT_BOARD_MANAGER", "TOKEN_READ_ONLY", "FORBIDDEN", "NOT_FOUND"}
    assert closed == {"NOT_BOARD_MANAGER", "TOKEN_READ_ONLY", "NOT_FOUND"}
    assert list(BoardMember.objects.order_by("pk").values_list("member", "is_manager")) == before


def test_a_board_manager_needs_no_role_in_the_workspace(alice: Caller, mia: Caller, board: Board) -> None:
    add_board_member(alice, board=board, member=mia.member, is_manager=True)
    other = make_member(alice, "Otto Ober")

    answer = api(mia).post(f"/api/v1/boards/{board.pk}/members", {"member_id": str(other.member.pk)}, format="json")

    assert answer.status_code == 200
    assert get_board(other, board.pk) == board


@pytest.mark.requirement("W001")
def test_only_members_of_the_workspace_are_let_in(alice: Caller, charlie: Caller, board: Board) -> None:
    rex = make_member(alice, "Rex Romero")
    remove_member(alice, member=rex.member)
    client = api(alice)

    answers = [
        client.post(f"/api/v1/boards/{board.pk}/members", {"member_id": str(member_id)}, format="json")
        for member_id in (charlie.member.pk, rex.member.pk, "nobody")
    ]

    assert [answer.json()["error"]["code"] for answer in answers] == ["NOT_FOUND"] * 3
    assert board.members.count() == 1


@pytest.mark.requirement("W004")
def test_a_viewer_opens_a_board_and_never_manages_it(alice: Caller, vic: Caller, mia: Caller, board: Board) -> None:
    add_board_member(alice, board=board, member=vic.member)
    add_board_member(alice, board=board, member=mia.member, is_manager=True)

    for call in (add_board_member, change_board_member):
        assert code_of(partial(call, alice, board=board, member=vic.member, is_manager=True)) == "VIEWER_NOT_MANAGER"
    change_role(alice, member=mia.member, role=Role.VIEWER)

    shown = {row["name"]: row["is_manager"] for row in api(vic).get(f"/api/v1/boards/{board.pk}").json()["members"]}
    assert shown == {"Alice Archer": True, "Vic Varga": False, "Mia Moreau": False}
    assert code_of(partial(remove_board_member, caller_of(mia.member), board=board, member=vic.member)) == "FORBIDDEN"


@pytest.mark.requirement("C095")
def test_who_comes_back_to_the_workspace_does_not_come_back_to_its_boards(
    alice: Caller, mia: Caller, board: Board
) -> None:
    card = make_card(alice, board)
    add_board_member(alice, board=board, member=mia.member, is_manager=True)
    remove_member(alice, member=mia.member)
    back = caller_of(add_member(alice, user=mia.member.user, role=Role.MEMBER))

    lost = [code_of(partial(get_board, back, board.pk)), code_of(partial(get_card, back, card.pk))]
    listed = [row.member_id for row in members_of_board(board)]
    let_out = code_of(partial(remove_board_member, alice, board=board, member=back.member))
    row = add_board_member(alice, board=board, member=back.member)

    assert lost == ["NOT_FOUND", "NOT_FOUND"]
    assert (listed, let_out) == ([alice.member.pk], "NOT_FOUND")
    assert (row.is_manager, is_manager(back, board)) == (False, False)
    assert get_card(back, card.pk) == card


@pytest.mark.django_db(transaction=True)
def test_one_who_is_let_in_twice_at_once_is_in_once(alice: Caller, mia: Caller) -> None:
    board = make_board(alice)

    outcomes = at_once(*[partial(add_board_member, alice, board=board, member=mia.member)] * 3)

    assert codes(outcomes) == ["done", "done", "done"]
    assert BoardEvent.objects.filter(kind="member_added").count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_managers_who_let_each_other_out_at_once_one_stays(alice: Caller, mia: Caller) -> None:
    board, nia = make_board(alice), make_member(alice, "Nia Novak")
    for caller in (mia, nia):
        add_board_member(alice, board=board, member=caller.member, is_manager=True)

    outcomes = at_once(
        partial(remove_board_member, mia, board=board, member=nia.member),
        partial(remove_board_member, nia, board=board, member=mia.member),
    )

    assert codes(outcomes) == ["NOT_BOARD_MANAGER", "done"]
    assert board.members.count() == 2
