"""Columns changed on the board itself: by every member, and deleted by those who manage the board."""

from __future__ import annotations

import pytest
from django.test import Client

from boards.models import Board, BoardEvent, Stage
from boards.services.boards import set_archived
from boards.services.members import change_board_member
from boards.services.stages import add_stage, delete_stage
from boards.states import EventKind, StageRole
from tests.factories.agents import make_agent
from tests.factories.boards import make_board, make_card, stage_of
from tests.factories.workflows import make_rule
from tests.support.cast import browser
from tests.web.pages import HTMX, code_of, form_of, has_form, text_of, url
from workspaces.caller import Caller

HOSTILE = '<script>alert("1")</script>'


@pytest.fixture
def board(alice: Caller, mia: Caller, vic: Caller) -> Board:
    return make_board(alice, name="Bread", members=[mia.member, vic.member])


@pytest.fixture
def doing(board: Board) -> Stage:
    return stage_of(board, StageRole.MIDDLE)


def names(board: Board) -> list[str]:
    return list(board.stages.order_by("position").values_list("name", flat=True))


def board_form(client: Client, board: Board, action: str) -> dict[str, str]:
    return form_of(client.get(url("board", board.pk)), action)


@pytest.mark.requirement("B009", "C089", "W059")
def test_a_column_is_added_before_the_last_one_once(alice: Caller, board: Board) -> None:
    client, action = browser(alice), url("add-column", board.pk)
    form = {**board_form(client, board, action), "name": " Taste "}

    answers = [client.post(action, form, headers=HTMX) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert names(board) == ["To do", "Doing", "Taste", "Done"]
    assert "<html" not in text_of(answers[0])


@pytest.mark.requirement("B008")
def test_a_column_is_renamed(alice: Caller, board: Board, doing: Stage) -> None:
    client, action = browser(alice), url("rename-column", doing.pk)
    form = board_form(client, board, action)

    answer = client.post(action, {**form, "name": "Bake"})

    assert (form["name"], answer.status_code, answer["Location"]) == ("Doing", 302, url("board", board.pk))
    assert names(board) == ["To do", "Bake", "Done"]


@pytest.mark.parametrize("page", ["rename-column", "add-column"])
def test_a_refused_name_is_kept_in_its_form(alice: Caller, board: Board, doing: Stage, page: str) -> None:
    client, action = browser(alice), url(page, doing.pk if page == "rename-column" else board.pk)
    form = board_form(client, board, action)

    refused = client.post(action, {**form, "name": HOSTILE * 6}, headers=HTMX)

    again = form_of(refused, action)
    assert (refused.status_code, code_of(refused)) == (422, "INVALID_INPUT")
    assert (again["name"], again["request_id"] != form["request_id"]) == (HOSTILE * 6, True)
    assert "<script>alert" not in text_of(refused)
    assert names(board) == ["To do", "Doing", "Done"]


@pytest.mark.requirement("B010")
def test_a_column_moves_by_one_place_and_its_menu_stays_open(alice: Caller, board: Board, doing: Stage) -> None:
    add_stage(alice, board=board, name="Check")
    client, action = browser(alice), url("shift-column", doing.pk)
    form = {**board_form(client, board, action), "direction": "right"}

    answers = [client.post(action, form, headers=HTMX) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert names(board) == ["To do", "Check", "Doing", "Done"]
    assert f'id="column-menu-{doing.pk}" data-keep open' in text_of(answers[0])
    assert BoardEvent.objects.filter(kind=EventKind.STAGES_REORDERED).count() == 1


@pytest.mark.requirement("B011", "B012")
@pytest.mark.parametrize("direction", ["left", "right"])
def test_first_and_last_column_keep_their_places(alice: Caller, board: Board, doing: Stage, direction: str) -> None:
    client = browser(alice)

    refused = [
        client.post(url("shift-column", stage.pk), {"direction": direction}, headers=HTMX)
        for stage in (doing, stage_of(board), stage_of(board, StageRole.DONE))
    ]

    assert [(one.status_code, code_of(one)) for one in refused] == [(400, "STAGE_ORDER_INVALID")] * 3
    assert names(board) == ["To do", "Doing", "Done"]


def test_there_is_no_third_direction(alice: Caller, board: Board, doing: Stage) -> None:
    refused = [browser(alice).post(url("shift-column", doing.pk), given) for given in ({}, {"direction": "up"})]

    assert [(one.status_code, code_of(one)) for one in refused] == [(422, "INVALID_INPUT")] * 2


@pytest.mark.requirement("B013", "B019")
def test_a_column_is_deleted_after_a_question(alice: Caller, board: Board, doing: Stage) -> None:
    client, action = browser(alice), url("delete-column", doing.pk)
    asked = client.get(action, headers=HTMX)
    kept = names(board)

    answer = client.post(action, form_of(asked, action), headers=HTMX)

    assert kept == ["To do", "Doing", "Done"]
    assert (answer.status_code, "bakedbrie:changed" in answer["HX-Trigger"]) == (204, True)
    assert names(board) == ["To do", "Done"]


@pytest.mark.requirement("B014", "B016", "B017", "B018")
def test_what_stands_in_the_way_of_deleting_is_told(alice: Caller, board: Board, doing: Stage) -> None:
    check = add_stage(alice, board=board, name="Check")
    make_card(alice, board, stage=check)
    agent = make_agent(alice, board, name="Scout")
    make_rule(alice, board, from_stage=doing, agent=agent, to_stage=check)
    client = browser(alice)

    refused = [client.post(url("delete-column", stage.pk), headers=HTMX) for stage in (check, doing, stage_of(board))]

    assert [(one.status_code, code_of(one)) for one in refused] == [
        (409, "STAGE_NOT_EMPTY"),
        (409, "STAGE_IN_USE"),
        (409, "STAGE_PROTECTED"),
    ]
    assert "Doing → Scout → Check" in text_of(refused[1])
    assert names(board) == ["To do", "Doing", "Check", "Done"]


def test_a_column_that_is_gone_meanwhile_is_not_found(alice: Caller, board: Board, doing: Stage) -> None:
    client, action = browser(alice), url("rename-column", doing.pk)
    form = board_form(client, board, action)
    delete_stage(alice, stage=doing)

    refused = client.post(action, {**form, "name": "Bake"}, headers=HTMX)

    assert (refused.status_code, code_of(refused)) == (404, "NOT_FOUND")


def test_viewers_and_strangers_see_and_use_no_forms(vic: Caller, charlie: Caller, board: Board, doing: Stage) -> None:
    posts = [
        (url("add-column", board.pk), {"name": "No"}),
        (url("rename-column", doing.pk), {"name": "No"}),
        (url("shift-column", doing.pk), {"direction": "left"}),
        (url("delete-column", doing.pk), {}),
    ]

    codes = {
        who: {code_of(browser(caller).post(action, given)) for action, given in posts}
        for who, caller in (("viewer", vic), ("stranger", charlie))
    }
    page = browser(vic).get(url("board", board.pk))

    assert codes == {"viewer": {"FORBIDDEN"}, "stranger": {"NOT_FOUND"}}
    assert [has_form(page, action) for action, _ in posts] == [False] * 4
    assert "column-menu" not in text_of(page)
    assert names(board) == ["To do", "Doing", "Done"]


def test_a_member_adds_renames_and_moves_columns_and_deletes_none(mia: Caller, board: Board, doing: Stage) -> None:
    client, add = browser(mia), url("add-column", board.pk)
    added = client.post(add, {**board_form(client, board, add), "name": "Taste"})
    renamed = client.post(url("rename-column", doing.pk), {"name": "Bake"})
    moved = client.post(url("shift-column", doing.pk), {"direction": "right"})

    asked, refused = (ask(url("delete-column", doing.pk)) for ask in (client.get, client.post))

    assert [answer.status_code for answer in (added, renamed, moved)] == [302, 302, 302]
    assert [(one.status_code, code_of(one)) for one in (asked, refused)] == [(403, "NOT_BOARD_MANAGER")] * 2
    assert url("delete-column", doing.pk) not in text_of(client.get(url("board", board.pk)))
    assert names(board) == ["To do", "Taste", "Bake", "Done"]


def test_a_manager_is_offered_to_delete_a_column(alice: Caller, mia: Caller, board: Board, doing: Stage) -> None:
    change_board_member(alice, board=board, member=mia.member, is_manager=True)
    client, action = browser(mia), url("delete-column", doing.pk)

    offered = action in text_of(client.get(url("board", board.pk)))
    client.post(action)

    assert offered
    assert names(board) == ["To do", "Done"]


def test_columns_of_an_archived_board_stay_as_they_are(alice: Caller, board: Board, doing: Stage) -> None:
    set_archived(alice, board=board, is_archived=True)
    client = browser(alice)

    page = client.get(url("board", board.pk))
    refused = client.post(url("rename-column", doing.pk), {"name": "No"})

    assert not has_form(page, url("rename-column", doing.pk))
    assert (refused.status_code, code_of(refused)) == (409, "BOARD_ARCHIVED")


@pytest.mark.requirement("B010", "B011", "B012")
def test_a_column_is_put_before_another_one_and_never_before_the_first(
    mia: Caller, alice: Caller, board: Board, doing: Stage
) -> None:
    check = add_stage(alice, board=board, name="Check")
    client = browser(mia)

    moved, refused, foreign = (
        client.post(url("put-column", check.pk), {"before_stage_id": str(before)}, headers=HTMX)
        for before in (doing.pk, stage_of(board).pk, stage_of(make_board(alice, name="Other")).pk)
    )

    assert moved.status_code == 200
    assert [(one.status_code, code_of(one)) for one in (refused, foreign)] == [(400, "STAGE_ORDER_INVALID")] * 2
    assert names(board) == ["To do", "Check", "Doing", "Done"]


@pytest.mark.requirement("B016", "B018", "B019")
def test_what_stands_in_the_way_is_told_before_one_says_yes(alice: Caller, board: Board, doing: Stage) -> None:
    check = add_stage(alice, board=board, name="Check")
    make_card(alice, board, stage=check)
    make_rule(alice, board, from_stage=doing, agent=make_agent(alice, board), to_stage=check)
    client = browser(alice)

    asked = [client.get(url("delete-column", stage.pk), headers=HTMX) for stage in (check, doing, stage_of(board))]

    assert [(one.status_code, code_of(one)) for one in asked] == [
        (409, "STAGE_NOT_EMPTY"),
        (409, "STAGE_IN_USE"),
        (409, "STAGE_PROTECTED"),
    ]
    assert ['id="confirm"' in text_of(one) for one in asked] == [False] * 3
