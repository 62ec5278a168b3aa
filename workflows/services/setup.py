"""A whole board in one call, as drafts; and the way back while nothing was done on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction

from agents.models import Agent
from agents.services.agents import delete_agents, limit_draft, write_draft
from bakedbrie.lib.refusals import NOT_FOUND
from boards.access import lock_board, require_manager
from boards.models import Board, Card, Stage
from boards.services.boards import delete_board, edit_board
from workflows.models import BoardSetup, Rule
from workflows.refusals import SETUP_IN_USE
from workflows.services.boards import create_board
from workflows.services.rules import delete_rules, write_rule_draft
from workspaces.access import require_writer
from workspaces.caller import Caller
from workspaces.services.audit import record_audit


@dataclass(frozen=True, kw_only=True)
class PlannedAgent:
    name: str
    instructions: str
    permissions: Mapping[str, str]
    max_turns: int | None = None


@dataclass(frozen=True, kw_only=True)
class PlannedRule:
    """Columns and agent by their names, which are unique within the plan."""

    from_stage: str
    agent: str
    to_stage: str


@dataclass(frozen=True, kw_only=True)
class BoardPlan:
    """``columns`` are the middle ones, between To do and Done."""

    name: str
    description: str = ""
    guidelines: str = ""
    columns: Sequence[str]
    agents: Sequence[PlannedAgent] = ()
    rules: Sequence[PlannedRule] = ()


@dataclass(frozen=True, kw_only=True)
class MadeBoard:
    """Agents and rules are drafts: nothing works before they are published."""

    setup: BoardSetup
    agents: list[Agent]
    rules: list[Rule]


@transaction.atomic
def setup_board(caller: Caller, *, plan: BoardPlan) -> MadeBoard:
    """Make the board with all that the plan names, or nothing."""
    board = create_board(caller, name=plan.name, description=plan.description, middle=plan.columns)
    if plan.guidelines:
        board = edit_board(caller, board=board, expected_revision=None, guidelines=plan.guidelines)
    agents = [_make_agent(caller, board, planned) for planned in plan.agents]
    stage_named = {stage.name: stage for stage in board.stages.all()}
    agent_named = {agent.name: agent for agent in agents}
    rules = [
        write_rule_draft(
            caller,
            board=board,
            from_stage=stage_named[planned.from_stage],
            agent=agent_named[planned.agent],
            to_stage=stage_named[planned.to_stage],
        )
        for planned in plan.rules
    ]
    setup = BoardSetup.objects.create(board=board, made_by=caller.actor)
    return MadeBoard(setup=setup, agents=agents, rules=rules)


@transaction.atomic
def undo_setup(caller: Caller, *, setup: BoardSetup) -> None:
    """Delete the board that one call made, as long as no card was ever put on it.

    The columns are locked as a new card locks its column: one that comes meanwhile is seen here, or finds no column.
    """
    require_writer(caller)
    if setup.made_by_id != caller.actor.pk:
        require_manager(caller, setup.board)
    board = lock_board(setup.board)
    if not BoardSetup.objects.filter(pk=setup.pk).exists():
        raise NOT_FOUND()
    list(Stage.objects.select_for_update().filter(board=board).order_by("pk"))
    if Card.objects.filter(board=board).exists():
        raise SETUP_IN_USE()
    record_audit(caller, "board.setup_undone", board=str(board.pk), name=board.name)
    delete_rules(board)
    delete_agents(board)
    delete_board(board)


def _make_agent(caller: Caller, board: Board, planned: PlannedAgent) -> Agent:
    agent = write_draft(
        caller,
        board=board,
        name=planned.name,
        instructions=planned.instructions,
        permissions=planned.permissions,
    )
    if planned.max_turns is None:
        return agent
    return limit_draft(caller, agent=agent, max_turns=planned.max_turns)
