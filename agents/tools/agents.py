"""create_agent_draft and publish_agent."""

from __future__ import annotations

from agents.access import get_agent
from agents.inputs import CreateAgentDraftIn, PublishAgentIn
from agents.models import Agent
from agents.rules import outward_permissions
from agents.serializers import AgentSerializer
from agents.services.agents import limit_draft, publish_agent, write_draft
from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from boards.access import get_board
from workspaces.caller import Caller


def _create_agent_draft(caller: Caller, given: CreateAgentDraftIn) -> Answer:
    board = get_board(caller, given.board_id)
    agent = write_draft(
        caller,
        board=board,
        agent=get_agent(caller, given.agent_id) if given.agent_id else None,
        name=given.name,
        instructions=given.instructions,
        permissions=given.permissions.given() if given.permissions else None,
        expected_revision=given.expected_revision,
    )
    if given.max_turns is not None:
        agent = limit_draft(caller, agent=agent, max_turns=given.max_turns)
    return {"agent": AgentSerializer(agent).data, "confirm": _outward(agent)}


def _publish_agent(caller: Caller, given: PublishAgentIn) -> Answer:
    agent = publish_agent(
        caller,
        agent=get_agent(caller, given.agent_id),
        expected_revision=given.expected_revision,
        confirm_outward=given.confirm_outward,
    )
    return {"agent": AgentSerializer(agent).data}


def _outward(agent: Agent) -> list[str]:
    return outward_permissions(agent.draft.permissions) if agent.draft else []


CREATE_AGENT_DRAFT = Tool[Caller](
    name="create_agent_draft",
    title="Draft an agent",
    description=(
        "Writes the draft of an agent on a board: its name, instructions (what it does on each card, in plain words) "
        "and permissions, each off, ask or allowed; new ones are off. max_turns bounds how often it may work on a "
        "card before a person has to look. With agent_id it changes that agent's draft. A "
        "draft does nothing until publish_agent. Confirm with the user before giving email, other_apps or deliver: "
        "these send outside; the answer names them under confirm. For now read_files and "
        "deliver do something; with ask a person is asked before each use. The answer names what has no effect under "
        "counts_as_off. Board managers only."
    ),
    input=CreateAgentDraftIn,
    handler=_create_agent_draft,
    effect=Effect.WRITE,
    capabilities=("agents",),
)
PUBLISH_AGENT = Tool[Caller](
    name="publish_agent",
    title="Publish an agent",
    description=(
        "Makes an agent's draft the live version; the version before it stays in its history. Needed again after an "
        "AI account was bound to the agent. Refuses with CONFIRMATION_NEEDED while the draft may send outside: tell "
        "the user what 'confirm' names, and if they agree send confirm_outward: true. Board managers only."
    ),
    input=PublishAgentIn,
    handler=_publish_agent,
    effect=Effect.WRITE,
    capabilities=("agents",),
)
