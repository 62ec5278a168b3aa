"""Columns: added before Done, renamed, reordered, deleted when nothing needs them."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from agents.models import Agent
from bakedbrie.lib import clock
from bakedbrie.lib.refusals import INVALID_INPUT, NOT_FOUND, Refused
from bakedbrie.lib.toolkit.inputs import parse
from boards.access import lock_card
from boards.inputs import StagesIn
from boards.models import Board, BoardEvent, Card, CardPlace, Stage
from boards.refusals import (
    BOARD_ARCHIVED,
    NOT_BOARD_MANAGER,
    STAGE_IN_USE,
    STAGE_NOT_EMPTY,
    STAGE_ORDER_INVALID,
    STAGE_PROTECTED,
    TOO_MANY_STAGES,
)
from boards.services.boards import set_archived
from boards.services.placing import place_card
from boards.services.stages import MOST_STAGES, add_stage, delete_stage
from boards.states import StageRole
from boards.tools.stages import MANAGE_STAGES
from tests.factories.boards import make_board, make_card, stage_of
from tests.support.cast import api
from tests.support.races import at_once
from workflows.models import Rule
from workspaces.caller import Caller
from workspaces.refusals import FORBIDDEN
from workspaces.services.actors import add_agent_actor
from workspaces.services.capabilities import switch_capability


def call(caller: Caller, **given: Any) -> list[str]:
    """Call the tool; return the names of the columns it answers with."""
    answer = MANAGE_STAGES.handler(caller, parse(StagesIn, given))
    return [stage["name"] for stage in answer["stages"]]


def names(board: Board) -> list[str]:
    return list(Stage.objects.filter(board=board).order_by("position").values_list("name", flat=True))


def stage_ids(board: Board, *wanted: str) -> list[str]:
    ids = {stage.name: str(stage.pk) for stage in Stage.objects.filter(board=board)}
    return [ids[name] for name in wanted]


@pytest.mark.requirement("B005", "B007")
def test_columns_are_listed_with_id_role_and_count(alice: Caller) -> None:
    board = make_board(alice)
    make_card(alice, board)

    answer = MANAGE_STAGES.handler(alice, parse(StagesIn, {"action": "list", "board_id": str(board.pk)}))

    assert answer["stages"][0] == {"id": str(stage_of(board).pk), "name": "To do", "role": "first", "cards": 1}
    assert MANAGE_STAGES.reads == {"list"}


@pytest.mark.requirement("B020")
def test_with_control_off_the_tool_is_refused(alice: Caller) -> None:
    board = make_board(alice)
    given = {"board_id": str(board.pk), "action": "add", "name": "Extra"}
    switch_capability(alice, name="control", is_on=False)

    response = api(alice).post("/api/v1/tools/manage_stages", given, format="json")

    assert (response.status_code, response.json()["error"]["code"]) == (403, "CAPABILITY_OFF")
    assert "Extra" not in names(board)


@pytest.mark.requirement("B019")
def test_the_tool_tells_assistants_to_ask_before_they_delete(alice: Caller) -> None:
    assert "ask them to confirm" in MANAGE_STAGES.description
    assert MANAGE_STAGES.is_destructive is True


@pytest.mark.requirement("B009")
def test_a_column_is_added_just_before_done(alice: Caller) -> None:
    board = make_board(alice)

    call(alice, action="add", board_id=str(board.pk), name="Review")
    answered = call(alice, action="add", board_id=str(board.pk), name="Send")

    assert answered == ["To do", "Doing", "Review", "Send", "Done"]
    assert names(board) == answered


@pytest.mark.requirement("B008")
def test_a_column_is_renamed_also_the_first_and_done(alice: Caller) -> None:
    board = make_board(alice)
    ids = stage_ids(board, "To do", "Done")

    call(alice, action="rename", stage_id=ids[0], name="Inbox")
    answered = call(alice, action="rename", stage_id=ids[1], name="Sent")

    assert answered == ["Inbox", "Doing", "Sent"]
    assert BoardEvent.objects.filter(kind="stage_renamed").count() == 2


@pytest.mark.requirement("B010")
def test_columns_are_reordered_by_naming_each_once(alice: Caller) -> None:
    board = make_board(alice)
    add_stage(alice, board=board, name="Review")
    wanted = ["To do", "Review", "Doing", "Done"]

    answered = call(alice, action="reorder", board_id=str(board.pk), stage_ids=stage_ids(board, *wanted))

    assert answered == wanted
    assert list(Stage.objects.filter(board=board).values_list("position", flat=True)) == [0, 1, 2, 3]


@pytest.mark.requirement("B010", "B011", "B012")
@pytest.mark.parametrize(
    "wanted",
    [
        ["To do", "Done"],
        ["To do", "Doing", "Doing", "Done"],
        ["To do", "Doing", "Doing", "Review", "Done"],
        ["Doing", "To do", "Review", "Done"],
        ["To do", "Doing", "Done", "Review"],
        [],
    ],
)
def test_another_list_of_columns_is_no_order(alice: Caller, wanted: list[str]) -> None:
    board = make_board(alice)
    add_stage(alice, board=board, name="Review")

    with pytest.raises(Refused) as refused:
        call(alice, action="reorder", board_id=str(board.pk), stage_ids=stage_ids(board, *wanted))

    assert refused.value.code == STAGE_ORDER_INVALID.code
    assert names(board) == ["To do", "Doing", "Review", "Done"]


@pytest.mark.requirement("B010")
def test_a_column_of_another_board_is_no_part_of_the_order(alice: Caller) -> None:
    board, other = make_board(alice), make_board(alice)
    ids = stage_ids(board, "To do") + stage_ids(other, "Doing") + stage_ids(board, "Done")

    with pytest.raises(Refused) as refused:
        call(alice, action="reorder", board_id=str(board.pk), stage_ids=ids)

    assert refused.value.code == STAGE_ORDER_INVALID.code


@pytest.mark.requirement("B013")
def test_an_empty_column_is_deleted(alice: Caller) -> None:
    board = make_board(alice)

    answered = call(alice, action="delete", stage_id=stage_ids(board, "Doing")[0])

    assert answered == ["To do", "Done"]
    assert BoardEvent.objects.filter(board=board, kind="stage_deleted").count() == 1


@pytest.mark.requirement("B014", "B015")
@pytest.mark.parametrize("name", ["To do", "Done"])
def test_the_first_column_and_done_stay(alice: Caller, name: str) -> None:
    board = make_board(alice)

    with pytest.raises(Refused) as refused:
        call(alice, action="delete", stage_id=stage_ids(board, name)[0])

    assert refused.value.code == STAGE_PROTECTED.code
    assert names(board) == ["To do", "Doing", "Done"]


@pytest.mark.requirement("B016")
def test_a_column_with_cards_says_how_many(alice: Caller) -> None:
    board = make_board(alice)
    middle = stage_of(board, StageRole.MIDDLE)
    make_card(alice, board, stage=middle)
    make_card(alice, board, stage=middle)

    with pytest.raises(Refused) as refused:
        delete_stage(alice, stage=middle)

    assert refused.value.code == STAGE_NOT_EMPTY.code
    assert refused.value.details == {"cards": 2}


@pytest.mark.requirement("B016")
def test_cards_in_the_trash_do_not_hold_a_column(alice: Caller) -> None:
    board = make_board(alice)
    middle = stage_of(board, StageRole.MIDDLE)
    card = make_card(alice, board, stage=middle)
    CardPlace.objects.filter(card=card).delete()
    Card.objects.filter(pk=card.pk).update(stage=None, trashed_at=clock.now(), trashed_from=middle)

    delete_stage(alice, stage=middle)

    card.refresh_from_db()
    assert (card.stage, card.trashed_from) == (None, None)


@pytest.mark.requirement("B017", "B018")
def test_a_column_that_a_rule_starts_in_says_which_rule(alice: Caller) -> None:
    board = make_board(alice)
    middle = stage_of(board, StageRole.MIDDLE)
    actor = add_agent_actor(alice.workspace, board_id=board.pk, name="Researcher")
    agent = Agent.objects.create(board=board, actor=actor, name="Researcher")
    rule = Rule.objects.create(board=board, from_stage=middle, agent=agent, to_stage=stage_of(board, StageRole.DONE))

    with pytest.raises(Refused) as refused:
        delete_stage(alice, stage=middle)

    assert refused.value.code == STAGE_IN_USE.code
    assert refused.value.details == {
        "details": [{"kind": "rule", "id": str(rule.pk), "untrusted_data": {"name": str(rule)}}]
    }
    assert names(board) == ["To do", "Doing", "Done"]


@pytest.mark.requirement("B046", "W057")
def test_each_change_of_a_column_counts_and_a_stale_one_is_told_the_current_revision(alice: Caller) -> None:
    board = make_board(alice)
    todo, doing = stage_ids(board, "To do", "Doing")
    client, given = api(alice), {"action": "add", "board_id": str(board.pk), "name": "Review"}

    def ask(**given: object) -> dict[str, Any]:
        answer = client.post("/api/v1/tools/manage_stages", given, format="json").json()
        shown: dict[str, Any] = answer.get("untrusted_data") or answer["error"]
        return shown

    revisions = [
        ask(action="list", board_id=str(board.pk))["revision"],
        ask(**given, expected_revision=1)["revision"],
        ask(action="rename", stage_id=todo, name="Inbox", expected_revision=2)["revision"],
        ask(action="rename", stage_id=todo, name="Inbox", expected_revision=3)["revision"],
        ask(
            action="reorder",
            board_id=str(board.pk),
            stage_ids=stage_ids(board, "Inbox", "Review", "Doing", "Done"),
            expected_revision=3,
        )["revision"],
        ask(action="delete", stage_id=doing, expected_revision=4)["revision"],
    ]
    stale = [
        ask(**given, expected_revision=4),
        ask(action="rename", stage_id=todo, name="Other", expected_revision=4),
        ask(action="reorder", board_id=str(board.pk), stage_ids=[], expected_revision=4),
        ask(action="delete", stage_id=stage_ids(board, "Review")[0], expected_revision=4),
    ]

    assert revisions == [1, 2, 3, 3, 4, 5]
    assert [(one["code"], one["current_revision"]) for one in stale] == [("REVISION_CONFLICT", 5)] * 4
    assert names(board) == ["Inbox", "Review", "Done"]


def test_members_change_columns_and_managers_delete_them(alice: Caller, mia: Caller, vic: Caller) -> None:
    board = make_board(alice, members=[mia.member, vic.member])
    doing = stage_ids(board, "Doing")[0]

    call(mia, action="add", board_id=str(board.pk), name="Review")
    with pytest.raises(Refused) as member:
        call(mia, action="delete", stage_id=doing)
    with pytest.raises(Refused) as viewer:
        call(vic, action="rename", stage_id=doing, name="Mine")

    assert (member.value.code, viewer.value.code) == (NOT_BOARD_MANAGER.code, FORBIDDEN.code)
    assert names(board) == ["To do", "Doing", "Review", "Done"]


def test_columns_of_foreign_and_archived_boards_stay(alice: Caller, mia: Caller, charlie: Caller) -> None:
    board = make_board(alice)
    doing = stage_ids(board, "Doing")[0]

    for caller in (mia, charlie):
        with pytest.raises(Refused) as foreign:
            call(caller, action="rename", stage_id=doing, name="Mine")
        assert foreign.value.code == NOT_FOUND.code
    set_archived(alice, board=board, is_archived=True)
    for given in ({"action": "delete", "stage_id": doing}, {"action": "add", "board_id": str(board.pk), "name": "X"}):
        with pytest.raises(Refused) as archived:
            call(alice, **given)
        assert archived.value.code == BOARD_ARCHIVED.code

    assert names(board) == ["To do", "Doing", "Done"]


@pytest.mark.parametrize(
    ("given", "fields"),
    [
        ({"action": "add", "board_id": "b"}, ["name"]),
        ({"action": "rename", "name": "x"}, ["stage_id"]),
        ({"action": "reorder", "board_id": "b"}, ["stage_ids"]),
        ({"action": "delete", "stage_id": "s", "name": "x"}, ["name"]),
        ({"action": "empty"}, ["action"]),
    ],
)
def test_each_action_takes_its_own_fields(given: dict[str, str], fields: list[str]) -> None:
    with pytest.raises(Refused) as refused:
        parse(StagesIn, given)

    assert refused.value.code == INVALID_INPUT.code
    assert list(refused.value.details["fields"]) == fields  # type: ignore[call-overload]


def test_a_board_holds_a_limited_number_of_columns(alice: Caller) -> None:
    board = make_board(alice)
    for n in range(MOST_STAGES - 3):
        add_stage(alice, board=board, name=str(n))

    with pytest.raises(Refused) as refused:
        add_stage(alice, board=board, name="one more")

    assert refused.value.code == TOO_MANY_STAGES.code
    assert len(names(board)) == MOST_STAGES


@pytest.mark.django_db(transaction=True)
def test_columns_added_at_once_all_stand_before_done(alice: Caller) -> None:
    board = make_board(alice)

    answers = at_once(*[partial(add_stage, alice, board=board, name=str(n)) for n in range(6)])

    assert [answer for answer in answers if isinstance(answer, BaseException)] == []
    order = names(board)
    assert (order[:2], order[-1]) == (["To do", "Doing"], "Done")
    assert sorted(order[2:-1]) == ["0", "1", "2", "3", "4", "5"]


@pytest.mark.django_db(transaction=True)
def test_a_column_is_deleted_or_gets_the_card_but_never_both(alice: Caller) -> None:
    board = make_board(alice)
    middle = stage_of(board, StageRole.MIDDLE)

    def add() -> str:
        make_card(alice, board, stage=middle)
        return "added"

    def delete() -> str:
        delete_stage(alice, stage=middle)
        return "deleted"

    answers = at_once(add, delete)

    codes = [answer.code if isinstance(answer, Refused) else answer for answer in answers]
    assert codes in (["added", STAGE_NOT_EMPTY.code], [NOT_FOUND.code, "deleted"])


def test_a_moved_card_frees_its_column(alice: Caller) -> None:
    board = make_board(alice)
    middle = stage_of(board, StageRole.MIDDLE)
    card = make_card(alice, board, stage=middle)
    place_card(alice, card=lock_card(card), stage=stage_of(board, StageRole.DONE))

    delete_stage(alice, stage=middle)

    assert names(board) == ["To do", "Done"]
