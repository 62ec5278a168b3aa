"""setup_board and undo_setup."""

from __future__ import annotations

from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from bakedbrie.lib.web.rows import show_rows
from workflows.access import get_setup
from workflows.inputs import SetupBoardIn, UndoSetupIn
from workflows.serializers import AgentLineSerializer, RuleSerializer
from workflows.services.setup import BoardPlan, PlannedAgent, PlannedRule, setup_board, undo_setup
from workflows.tools.boards import short_board
from workspaces.access import require_capability
from workspaces.caller import Caller


def setup_board_tool(caller: Caller, given: SetupBoardIn) -> Answer:
    needs = {"agents": given.agents, "triggers": given.rules, "api_workflow": given.guidelines}
    require_capability(caller, *(capability for capability, wanted in needs.items() if wanted))
    made = setup_board(caller, plan=_plan(given))
    return {
        "setup_id": str(made.setup.pk),
        **short_board(made.setup.board),
        "agents": show_rows(AgentLineSerializer(), made.agents),
        "rules": show_rows(RuleSerializer(), made.rules),
    }


def undo_setup_tool(caller: Caller, given: UndoSetupIn) -> Answer:
    setup = get_setup(caller, given.setup_id)
    undo_setup(caller, setup=setup)
    return {"undone": {"setup_id": given.setup_id, "board_id": str(setup.board_id)}}


def _plan(given: SetupBoardIn) -> BoardPlan:
    return BoardPlan(
        name=given.name,
        description=given.description,
        guidelines=given.guidelines,
        columns=given.columns,
        agents=[
            PlannedAgent(
                name=agent.name,
                instructions=agent.instructions,
                permissions=agent.permissions.given() if agent.permissions else {},
                max_turns=agent.max_turns,
            )
            for agent in given.agents
        ],
        rules=[
            PlannedRule(from_stage=rule.from_column, agent=rule.agent, to_stage=rule.to_column) for rule in given.rules
        ],
    )


SETUP_BOARD = Tool[Caller](
    name="setup_board",
    title="Set up a board",
    description=(
        "Makes a board with its columns, agents and rules in one call, or nothing of it. columns are the middle "
        "ones: To do stands before them, Done after them. Agents and rules are drafts: show the user what was "
        "made, then publish_agent and publish_workflow each of them. undo_setup takes it all back while no card "
        "was put on the board."
    ),
    input=SetupBoardIn,
    handler=setup_board_tool,
    effect=Effect.WRITE,
    capabilities=("setup",),
)
UNDO_SETUP = Tool[Caller](
    name="undo_setup",
    title="Undo the setup of a board",
    description=(
        "Deletes a board that setup_board made, with its columns, agents and rules, for whoever made it and for "
        "managers of the board. SETUP_IN_USE once a card was put on it. Confirm with the user first."
    ),
    input=UndoSetupIn,
    handler=undo_setup_tool,
    effect=Effect.WRITE,
    capabilities=("setup",),
    is_destructive=True,
)
