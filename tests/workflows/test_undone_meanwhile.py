"""A setup that is undone takes its board away: whatever was asked for meanwhile finds nothing, and is no error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from agents.models import Agent
from agents.services.agents import pause_agent, publish_agent, write_draft
from agents.services.bindings import bind_account
from agents.states import BindingScope
from bakedbrie.lib.refusals import Refused
from boards.models import Board
from boards.services.boards import edit_board
from boards.services.members import add_board_member
from boards.services.stages import add_stage, delete_stage, rename_stage
from tests.factories.agents import make_account
from tests.support.fake_provider import FakeProvider
from workflows.models import Rule
from workflows.services.agents import retire_agent
from workflows.services.archive import archive_board
from workflows.services.cards import create_card
from workflows.services.rules import pause_rule, publish_rule
from workflows.services.setup import BoardPlan, PlannedAgent, PlannedRule, setup_board, undo_setup
from workspaces.caller import Caller

PLAN = BoardPlan(
    name="Planned",
    columns=["Work"],
    agents=[PlannedAgent(name="Ada", instructions="Write.", permissions={})],
    rules=[PlannedRule(from_stage="Work", agent="Ada", to_stage="Done")],
)
Act = Callable[[Caller, Board, Agent, Rule], Any]
ACTS: list[Act] = [
    lambda by, board, agent, rule: edit_board(by, board=board, expected_revision=None, name="Other"),
    lambda by, board, agent, rule: archive_board(by, board=board),
    lambda by, board, agent, rule: add_board_member(by, board=board, member=by.member),
    lambda by, board, agent, rule: add_stage(by, board=board, name="More"),
    lambda by, board, agent, rule: rename_stage(by, stage=rule.from_stage, name="Other"),
    lambda by, board, agent, rule: delete_stage(by, stage=rule.from_stage),
    lambda by, board, agent, rule: create_card(by, board=board, title="Late"),
    lambda by, board, agent, rule: create_card(by, board=board, stage=rule.from_stage, title="Late"),
    lambda by, board, agent, rule: write_draft(by, board=board, agent=agent, name="Other"),
    lambda by, board, agent, rule: publish_agent(by, agent=agent),
    lambda by, board, agent, rule: pause_agent(by, agent=agent),
    lambda by, board, agent, rule: retire_agent(by, agent=agent),
    lambda by, board, agent, rule: publish_rule(by, rule=rule),
    lambda by, board, agent, rule: pause_rule(by, rule=rule),
]


@pytest.mark.parametrize("act", ACTS)
def test_what_comes_too_late_finds_nothing(alice: Caller, act: Act) -> None:
    made = setup_board(alice, plan=PLAN)
    agent = Agent.objects.select_related("board").get()
    rule = Rule.objects.select_related("board", "from_stage__board").get()
    undo_setup(alice, setup=made.setup)

    with pytest.raises(Refused) as refused:
        act(alice, made.setup.board, agent, rule)

    assert refused.value.code == "NOT_FOUND"


@pytest.mark.parametrize("scope", [BindingScope.BOARD, BindingScope.AGENT])
def test_nothing_is_bound_too_late(alice: Caller, provider: FakeProvider, scope: BindingScope) -> None:
    account = make_account(alice, provider)
    setup = setup_board(alice, plan=PLAN).setup
    agent = Agent.objects.select_related("board").get()
    undo_setup(alice, setup=setup)

    with pytest.raises(Refused) as refused:
        bind_account(alice, account=account, scope=scope, board=agent.board, agent=agent)

    assert refused.value.code == "NOT_FOUND"
