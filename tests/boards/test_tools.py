"""The tools of this app through their door."""

from __future__ import annotations

from typing import Any

import pytest

from boards.models import Comment
from boards.tools import TOOLS
from tests.factories.boards import make_board, make_card, stage_of
from tests.support.cast import api
from workspaces.caller import Caller
from workspaces.services.capabilities import switch_capability
from workspaces.states import Preset


def call(caller: Caller, tool: str, arguments: dict[str, Any], preset: Preset = Preset.FULL_CONTROL) -> Any:
    return api(caller, preset).post(f"/api/v1/tools/{tool}", arguments, format="json")


@pytest.mark.requirement("B003", "B028")
def test_each_tool_answers_with_content_wrapped_as_untrusted(alice: Caller) -> None:
    switch_capability(alice, name="api_workflow", is_on=True)
    board = make_board(alice)
    card, other = make_card(alice, board, title="A"), make_card(alice, board, title="B")
    calls: dict[str, dict[str, Any]] = {
        "list_boards": {},
        "list_cards": {"board_id": str(board.pk), "limit": 1},
        "add_comment": {"card_id": str(card.pk), "text": "Look."},
        "reorder_card": {"card_id": str(other.pk), "before_card_id": str(card.pk)},
        "manage_stages": {"action": "add", "board_id": str(board.pk), "name": "Review"},
        "list_card_files": {"card_id": str(card.pk)},
        "manage_board_guidelines": {"action": "read", "board_id": str(board.pk)},
    }

    answers = {name: call(alice, name, arguments) for name, arguments in calls.items()}

    assert set(calls) == {tool.name for tool in TOOLS}
    assert {name: answer.status_code for name, answer in answers.items()} == dict.fromkeys(calls, 200)
    assert all(set(answer.json()) == {"untrusted_data", "request_id"} for answer in answers.values())
    assert answers["list_cards"].json()["untrusted_data"]["cards"][0]["title"] == "B"


def test_a_comment_repeated_with_its_request_id_is_added_once(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    client = api(alice)
    body = {"card_id": str(card.pk), "text": "Look.", "request_id": "comment-1"}

    answers = [client.post("/api/v1/tools/add_comment", body, format="json").json() for _ in range(2)]

    assert answers[0] == answers[1]
    assert Comment.objects.count() == 1


def test_a_read_only_token_lists_columns_but_adds_none(alice: Caller) -> None:
    board = make_board(alice)
    arguments = {"board_id": str(board.pk)}

    listed = call(alice, "manage_stages", {**arguments, "action": "list"}, Preset.READ_ONLY)
    added = call(alice, "manage_stages", {**arguments, "action": "add", "name": "Review"}, Preset.READ_ONLY)

    assert listed.status_code == 200
    assert (added.status_code, added.json()["error"]["code"]) == (403, "TOKEN_READ_ONLY")
    assert board.stages.count() == 3


@pytest.mark.requirement("B020", "B023", "B029")
@pytest.mark.parametrize(
    ("capability", "name", "arguments"),
    [
        ("control", "manage_stages", {"action": "list"}),
        ("api_workflow", "manage_board_guidelines", {"action": "read"}),
        ("media", "list_card_files", {}),
    ],
)
def test_a_tool_whose_capability_is_off_is_refused(
    alice: Caller, capability: str, name: str, arguments: dict[str, str]
) -> None:
    switch_capability(alice, name=capability, is_on=False)

    answer = call(alice, name, arguments)

    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "CAPABILITY_OFF")
    assert answer.json()["error"]["capability"] == capability


def test_a_stage_refusal_carries_its_details(alice: Caller) -> None:
    board = make_board(alice)
    make_card(alice, board)

    answer = call(alice, "manage_stages", {"action": "delete", "stage_id": str(stage_of(board).pk)})

    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "STAGE_PROTECTED")
    assert answer.json()["error"]["fix"]
