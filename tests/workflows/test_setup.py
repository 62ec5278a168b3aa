"""A whole board in one call, and the way back."""

from __future__ import annotations

from typing import Any

import pytest

from agents.models import Agent
from agents.states import AgentState
from boards.models import Board, BoardEvent, Stage
from boards.services.members import add_board_member
from tests.factories.boards import make_card
from tests.factories.workspaces import make_member
from tests.support.cast import api
from tests.support.races import at_once, codes
from workflows.models import BoardSetup, Rule
from workflows.services.cards import create_card, trash_card
from workflows.services.setup import undo_setup
from workspaces.caller import Caller
from workspaces.models import Actor, AuditEntry
from workspaces.services.capabilities import switch_capability

pytestmark = pytest.mark.django_db

PLAN: dict[str, Any] = {
    "name": "Product updates",
    "description": "What changed for customers.",
    "guidelines": "Short words.",
    "columns": ["Write", "Check"],
    "agents": [
        {"name": "Writer", "instructions": "Write it.", "permissions": {"read_files": "allowed"}, "max_turns": 3},
        {"name": "Checker", "instructions": "Check it."},
    ],
    "rules": [
        {"from_column": "Write", "agent": "Writer", "to_column": "Check"},
        {"from_column": "Check", "agent": "Checker", "to_column": "Done"},
    ],
}


@pytest.fixture(autouse=True)
def _guidelines_are_on(alice: Caller) -> None:
    switch_capability(alice, name="api_workflow", is_on=True)


def call(caller: Caller, tool: str, **arguments: Any) -> Any:
    return api(caller).post(f"/api/v1/tools/{tool}", arguments, format="json").json()


def set_up(caller: Caller, **changes: Any) -> Any:
    return call(caller, "setup_board", **{**PLAN, **changes})["untrusted_data"]


def fields(caller: Caller, **changes: Any) -> Any:
    error = call(caller, "setup_board", **{**PLAN, **changes})["error"]
    assert error["code"] == "INVALID_INPUT"
    return error["fields"]


@pytest.mark.requirement("B003", "B021", "B022")
def test_one_call_makes_columns_agents_and_rules_as_drafts(alice: Caller) -> None:
    made = set_up(alice)

    board = Board.objects.get(pk=made["board"]["id"])
    assert [stage["name"] for stage in made["board"]["stages"]] == ["To do", "Write", "Check", "Done"]
    assert (board.name, board.description, board.guidelines) == (
        PLAN["name"],
        PLAN["description"],
        PLAN["guidelines"],
    )
    assert {agent.name: agent.state for agent in board.agents.all()} == {"Writer": "draft", "Checker": "draft"}
    writer = board.agents.get(name="Writer").draft
    assert writer is not None
    assert (writer.instructions, writer.max_turns, writer.permissions["read_files"]) == ("Write it.", 3, "allowed")
    assert [(rule["state"], rule["from_stage"]["name"], rule["agent"]["name"], rule["to_stage"]["name"])
            for rule in made["rules"]] == [
        ("draft", "Write", "Writer", "Check"),
        ("draft", "Check", "Checker", "Done"),
    ]  # fmt: skip
    assert BoardSetup.objects.get(pk=made["setup_id"]).made_by == alice.actor


@pytest.mark.requirement("B021")
def test_without_columns_the_board_is_as_any_new_one_and_with_none_it_has_two(alice: Caller) -> None:
    plain = call(alice, "setup_board", name="Plain")["untrusted_data"]
    bare = call(alice, "setup_board", name="Bare", columns=[])["untrusted_data"]

    assert [stage["name"] for stage in plain["board"]["stages"]] == ["To do", "Doing", "Done"]
    assert [stage["name"] for stage in bare["board"]["stages"]] == ["To do", "Done"]


@pytest.mark.requirement("B022")
def test_names_that_do_not_fit_together_are_all_told_at_once(alice: Caller) -> None:
    wrong = fields(
        alice,
        columns=["Write", "Write", "Done"],
        rules=[{"from_column": "Wrote", "agent": "Nobody", "to_column": "Done"}],
    )

    assert sorted(wrong) == ["columns", "rules.0.agent", "rules.0.from_column"]
    assert wrong["columns"] == ["Done stands twice", "Write stands twice"]
    assert not Board.objects.exists()


@pytest.mark.requirement("B022")
def test_a_rule_that_cannot_work_leaves_nothing_behind(alice: Caller) -> None:
    refused = call(
        alice, "setup_board", **{**PLAN, "rules": [{"from_column": "Done", "agent": "Writer", "to_column": "Check"}]}
    )

    assert refused["error"]["code"] == "RULE_INVALID"
    assert not Board.objects.exists()
    assert not Agent.objects.exists()


@pytest.mark.requirement("W038", "W053")
@pytest.mark.parametrize("tool", ["setup_board", "undo_setup"])
def test_without_the_capability_neither_works(alice: Caller, tool: str) -> None:
    switch_capability(alice, name="setup", is_on=False)

    refused = call(alice, tool, **(PLAN if tool == "setup_board" else {"setup_id": "x"}))

    assert (refused["error"]["code"], refused["error"]["capability"]) == ("CAPABILITY_OFF", "setup")


@pytest.mark.parametrize("needed", ["agents", "triggers", "api_workflow"])
def test_what_a_part_of_the_plan_needs_must_be_on(alice: Caller, needed: str) -> None:
    switch_capability(alice, name=needed, is_on=False)

    refused = call(alice, "setup_board", **PLAN)

    assert (refused["error"]["code"], refused["error"]["capability"]) == ("CAPABILITY_OFF", needed)
    assert call(alice, "setup_board", name="Plain")["untrusted_data"]["rules"] == []


@pytest.mark.requirement("B022")
def test_undone_the_board_is_gone_with_all_that_was_made(alice: Caller) -> None:
    made = set_up(alice)
    agent = made["agents"][0]["id"]
    call(alice, "publish_agent", agent_id=agent)
    call(alice, "publish_workflow", action="publish", rule_id=made["rules"][0]["id"])

    undone = call(alice, "undo_setup", setup_id=made["setup_id"])["untrusted_data"]
    again = call(alice, "undo_setup", setup_id=made["setup_id"])

    assert undone == {"undone": {"setup_id": made["setup_id"], "board_id": made["board"]["id"]}}
    assert again["error"]["code"] == "NOT_FOUND"
    for model in (Board, Stage, Agent, Rule, BoardSetup, BoardEvent):
        assert not model._default_manager.exists()
    assert AuditEntry.objects.filter(verb="board.setup_undone").count() == 1
    assert not Actor.objects.filter(kind="agent", retired_at=None).exists()


@pytest.mark.requirement("B022")
def test_once_a_card_was_put_on_it_the_setup_stays_even_if_the_card_is_in_the_trash(alice: Caller) -> None:
    made = set_up(alice)
    board = Board.objects.get(pk=made["board"]["id"])
    trash_card(alice, card=make_card(alice, board))

    refused = call(alice, "undo_setup", setup_id=made["setup_id"])

    assert refused["error"]["code"] == "SETUP_IN_USE"
    assert Agent.objects.filter(board=board, state=AgentState.DRAFT).count() == 2


def test_who_made_it_undoes_it_without_managing_the_board_any_more(alice: Caller, mia: Caller) -> None:
    made = set_up(mia)
    Board.objects.get().members.filter(member=mia.member).update(is_manager=False)
    other = make_member(alice, "Nia Novak")
    add_board_member(alice, board=Board.objects.get(), member=other.member)

    refused = call(other, "undo_setup", setup_id=made["setup_id"])
    undone = call(mia, "undo_setup", setup_id=made["setup_id"])

    assert refused["error"]["code"] == "NOT_BOARD_MANAGER"
    assert undone["untrusted_data"]["undone"]["board_id"] == made["board"]["id"]


@pytest.mark.django_db(transaction=True)
def test_a_card_that_comes_while_the_setup_is_undone_is_kept_or_finds_nothing(alice: Caller) -> None:
    made = set_up(alice)
    setup = BoardSetup.objects.select_related("board").get(pk=made["setup_id"])

    outcomes = at_once(
        lambda: undo_setup(alice, setup=setup),
        lambda: create_card(alice, board=setup.board, title="Just now"),
    )

    assert codes(outcomes) in (["SETUP_IN_USE", "done"], ["NOT_FOUND", "done"])
    assert Board.objects.exists() is ("SETUP_IN_USE" in codes(outcomes))
