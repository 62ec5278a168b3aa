"""The tools of this app through their door."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agents.models import Turn, TurnLine
from bakedbrie.lib import clock
from boards.models import Board, Card
from boards.states import StageRole
from tests.factories.agents import make_agent
from tests.factories.boards import make_board, stage_of
from tests.factories.workflows import Line
from tests.support.cast import api
from tests.support.jobs import Ran
from workflows.models import BoardSetup, Rule
from workflows.tools import TOOLS
from workspaces.caller import Caller
from workspaces.states import Preset

pytestmark = pytest.mark.django_db


class Door:
    """Calls tools with one token."""

    def __init__(self, caller: Caller, preset: Preset = Preset.FULL_CONTROL) -> None:
        self.client = api(caller, preset)

    def ask(self, tool: str, **arguments: Any) -> Any:
        return self.client.post(f"/api/v1/tools/{tool}", arguments, format="json")

    def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        answer = self.ask(tool, **arguments)
        assert answer.status_code == 200, answer.json()
        shown: dict[str, Any] = answer.json()["untrusted_data"]
        return shown

    def code(self, tool: str, **arguments: Any) -> str:
        answer = self.ask(tool, **arguments)
        assert answer.status_code >= 400
        return str(answer.json()["error"]["code"])


@pytest.fixture
def door(alice: Caller) -> Door:
    return Door(alice)


@pytest.mark.requirement("B004", "B005", "R001", "R002", "R003", "B030", "B031")
def test_a_board_is_set_up_and_a_card_worked_on_with_tools_alone(
    line: Line, door: Door, drain_jobs: Callable[..., Ran]
) -> None:
    board = door("create_board", name="Second board")["board"]
    todo, doing, done = (stage["id"] for stage in board["stages"])
    agent = door("create_agent_draft", board_id=board["id"], name="Writer", instructions="Write.")["agent"]
    door("publish_agent", agent_id=agent["id"])
    door("bind_ai_account", account_id=str(line.account_pk), scope="board", scope_id=board["id"])
    rule = door(
        "author_workflow_draft",
        board_id=board["id"],
        from_stage_id=doing,
        agent_id=agent["id"],
        to_stage_id=done,
    )["rule"]
    published = door("publish_workflow", rule_id=rule["id"], action="publish")
    card = door("create_card", board_id=board["id"], title="Write a note", brief="Three lines.")["card"]
    preview = door("preview_move", card_id=card["id"], stage_id=doing)
    moved = door("move_card", card_id=card["id"], stage_id=doing, preview_hash=preview["preview_hash"])["card"]
    drain_jobs()
    read = door("read_card", card_id=card["id"])["card"]

    assert (rule["state"], published["rule"]["state"], published["cards_in_stage"]) == ("draft", "published", 0)
    assert "note" not in published
    assert card["stage_id"] == todo
    assert moved["stage_id"] == doing
    assert (read["stage_id"], read["state"], read["result"]["markdown"]) == (done, "done", "Finished work.")


def test_the_answer_of_publishing_says_that_standing_cards_do_not_start(line: Line, door: Door) -> None:
    door("publish_workflow", rule_id=str(line.rule.pk), action="pause")
    door("create_card", board_id=str(line.board.pk), title="Standing", stage_id=str(line.doing.pk))

    answer = door("publish_workflow", rule_id=str(line.rule.pk), action="publish")

    assert answer["cards_in_stage"] == 1
    assert "were not started" in answer["note"]


@pytest.mark.requirement("B031")
def test_a_move_without_a_hash_is_refused_by_code(line: Line, door: Door) -> None:
    ids = {"card_id": str(line.card.pk), "stage_id": str(line.doing.pk)}

    assert door.code("move_card", **ids) == "PREVIEW_REQUIRED"
    assert door.code("move_card", **ids, preview_hash="0" * 64) == "PREVIEW_CHANGED"
    assert line.fresh_card().stage_id == line.todo.pk


@pytest.mark.requirement("C018")
def test_a_card_created_twice_with_one_request_id_is_one_card_and_one_turn(line: Line, door: Door) -> None:
    given = {"board_id": str(line.board.pk), "stage_id": str(line.doing.pk), "title": "Once", "request_id": "r-1"}

    answers = [door("create_card", **given) for _ in range(2)]

    assert answers[0] == answers[1]
    assert (Card.objects.filter(title="Once").count(), Turn.objects.count()) == (1, 1)


def test_a_card_of_an_agent(line: Line, door: Door) -> None:
    card = door("create_card", board_id=str(line.board.pk), title="For the agent", owner=str(line.agent.actor_id))[
        "card"
    ]

    assert (card["owner"]["kind"], card["owner"]["name"]) == ("agent", "Researcher")


def test_a_card_in_a_column_of_another_board_is_not_created(line: Line, door: Door) -> None:
    other = stage_of(make_board(line.caller, name="Other"))

    code = door.code("create_card", board_id=str(line.board.pk), stage_id=str(other.pk), title="Astray")

    assert code == "NOT_FOUND"
    assert not Card.objects.filter(title="Astray").exists()


def test_a_turn_is_read_stopped_and_run_again(line: Line, door: Door, drain_jobs: Callable[..., Ran]) -> None:
    turn_id = str(line.start().pk)

    stopped = door("manage_turn", action="stop", turn_id=turn_id)["turn"]
    again = door("manage_turn", action="run_again", turn_id=turn_id)["turn"]
    drain_jobs()
    read = door("manage_turn", action="read", turn_id=again["id"])["turn"]

    assert (stopped["state"], stopped["holds_card"]) == ("canceled", False)
    assert (again["state"], again["round"]) == ("queued", 1)
    assert (read["state"], read["reply"], len(read["calls"])) == ("done", "Finished work.", 1)
    assert read["prompt"]["parts"]
    assert read["written"] is None


def test_a_running_turn_is_read_with_what_it_wrote_so_far(line: Line, door: Door) -> None:
    turn = line.start()
    Turn.objects.filter(pk=turn.pk).update(state="sending", sent_at=clock.now())
    for seq, text in enumerate(["x" * 19_997, "One ", "loaf."], start=1):
        TurnLine.objects.create(turn=turn, seq=seq, text=text)

    read = door("manage_turn", action="read", turn_id=str(turn.pk))["turn"]

    assert read["reply"] == ""
    assert read["written"] == {"text": "x" * 19_991 + "One loaf.", "is_cut": True}


@pytest.mark.requirement("A016", "A017", "A018", "A023", "A025")
def test_agents_are_listed_read_paused_resumed_and_retired(line: Line, door: Door) -> None:
    spare = str(make_agent(line.caller, line.board, name="Spare").pk)

    listed = door("manage_agent", action="list", board_id=str(line.board.pk))["agents"]
    states = [door("manage_agent", action=action, agent_id=spare)["agent"]["state"] for action in ("pause", "resume")]
    versions = door("manage_agent", action="versions", agent_id=spare)["versions"]
    retired = door("manage_agent", action="retire", agent_id=spare)["agent"]

    assert [agent["name"] for agent in listed] == ["Researcher", "Spare"]
    assert states == ["paused", "published"]
    assert [version["n"] for version in versions] == [1]
    assert (retired["state"], door("manage_agent", action="read", agent_id=spare)["agent"]["state"]) == (
        "retired",
        "retired",
    )
    assert door.code("manage_agent", action="retire", agent_id=str(line.agent.pk)) == "AGENT_IN_USE"


@pytest.mark.parametrize("extra", [{"fail_stage_id": "x"}, {"max_rounds": 3}], ids=["check", "rounds"])
def test_check_rules_are_not_taken(line: Line, door: Door, extra: dict[str, Any]) -> None:
    code = door.code(
        "author_workflow_draft",
        board_id=str(line.board.pk),
        from_stage_id=str(line.todo.pk),
        agent_id=str(line.agent.pk),
        to_stage_id=str(line.done.pk),
        **extra,
    )

    assert code == "INVALID_INPUT"
    assert Rule.objects.count() == 1


READS = {
    "read_board": {"board_id"},
    "read_card": {"card_id"},
    "preview_move": {"card_id", "stage_id"},
    "list_triggers": {"board_id"},
}
WRITES: dict[str, dict[str, Any]] = {
    "create_board": {"name": "No"},
    "create_card": {"title": "No", "board_id": None},
    "move_card": {"card_id": None, "stage_id": None, "preview_hash": "0" * 64},
    "manage_turn": {"action": "stop", "turn_id": None},
    "manage_agent": {"action": "pause", "agent_id": None},
    "author_workflow_draft": {"board_id": None, "from_stage_id": None, "agent_id": None, "to_stage_id": None},
    "publish_workflow": {"action": "pause", "rule_id": None},
    "setup_board": {"name": "No"},
    "undo_setup": {"setup_id": None},
}
# Off in a new workspace: tests/api/test_matrix.py tries them, where everything is on.
OF_CAPABILITIES = {
    *("list_reviews", "get_review", "decide_review"),
    *("manage_destination", "redeliver", "list_results", "get_output"),
}
NAME_NOTHING = {"create_board", "setup_board"}  # no id of anything that is there


def ids_of(line: Line) -> dict[str, str]:
    turn = Turn.objects.first()
    setup, _ = BoardSetup.objects.get_or_create(board=line.board, made_by=line.caller.actor)
    return {
        "board_id": str(line.board.pk),
        "card_id": str(line.card.pk),
        "stage_id": str(line.done.pk),
        "from_stage_id": str(line.todo.pk),
        "to_stage_id": str(line.done.pk),
        "agent_id": str(line.agent.pk),
        "rule_id": str(line.rule.pk),
        "turn_id": str(turn.pk if turn else line.card.pk),
        "setup_id": str(setup.pk),
    }


def test_the_matrix_below_covers_every_tool() -> None:
    assert {tool.name for tool in TOOLS} == {*READS, *WRITES, *OF_CAPABILITIES}


@pytest.mark.requirement("W009")
@pytest.mark.parametrize("tool", WRITES)
def test_a_read_only_token_writes_nothing(line: Line, tool: str) -> None:
    line.start()
    before = (Board.objects.count(), Card.objects.count(), Turn.objects.get().state, Rule.objects.get().state)
    ids = ids_of(line)
    given = {name: ids[name] if value is None else value for name, value in WRITES[tool].items()}

    assert Door(line.caller, Preset.READ_ONLY).code(tool, **given) == "TOKEN_READ_ONLY"

    after = (Board.objects.count(), Card.objects.count(), Turn.objects.get().state, Rule.objects.get().state)
    assert after == before


@pytest.mark.requirement("W002")
@pytest.mark.parametrize("tool", [tool for tool in (*READS, *WRITES) if tool not in NAME_NOTHING])
def test_nothing_of_another_workspace_is_reached(line: Line, charlie: Caller, tool: str) -> None:
    line.start()
    ids = ids_of(line)
    given = (
        {name: ids[name] for name in READS[tool]}
        if tool in READS
        else {name: ids[name] if value is None else value for name, value in WRITES[tool].items()}
    )
    events = line.board.events.count()

    assert Door(charlie).code(tool, **given) == "NOT_FOUND"

    assert line.board.events.count() == events


@pytest.mark.requirement("W002")
@pytest.mark.parametrize("name", ["rule_id", "agent_id", "turn_id", "card_id", "board_id"])
@pytest.mark.parametrize("spelled", ["", "nonsense", "00000000-0000-0000-0000-000000000000"])
def test_a_misspelt_id_is_answered_like_an_absent_one(door: Door, name: str, spelled: str) -> None:
    tool, given = {
        "rule_id": ("publish_workflow", {"action": "pause"}),
        "agent_id": ("manage_agent", {"action": "read"}),
        "turn_id": ("manage_turn", {"action": "read"}),
        "card_id": ("read_card", {}),
        "board_id": ("read_board", {}),
    }[name]

    assert door.code(tool, **given, **{name: spelled}) == "NOT_FOUND"


def test_a_member_without_the_board_reaches_nothing_on_it(line: Line, mia: Caller) -> None:
    mias = Door(mia)

    assert mias.code("read_board", board_id=str(line.board.pk)) == "NOT_FOUND"
    assert mias.code("publish_workflow", rule_id=str(line.rule.pk), action="pause") == "NOT_FOUND"
    assert Rule.objects.get().state == "published"


def test_the_columns_of_a_new_board_have_their_roles(door: Door) -> None:
    board = door("create_board", name="Fresh")["board"]

    assert [(stage["name"], stage["role"], stage["cards"]) for stage in board["stages"]] == [
        ("To do", StageRole.FIRST, 0),
        ("Doing", StageRole.MIDDLE, 0),
        ("Done", StageRole.DONE, 0),
    ]
