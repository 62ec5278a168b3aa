"""manage_agent."""

from __future__ import annotations

from agents.access import get_agent
from agents.selectors import agents_of, versions_of
from agents.serializers import AgentSerializer, AgentVersionSerializer
from agents.services.agents import pause_agent, resume_agent
from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from bakedbrie.lib.web.rows import show_rows
from boards.access import get_board
from workflows.inputs import ManageAgentIn
from workflows.services.agents import retire_agent
from workspaces.caller import Caller

_CHANGES = {"pause": pause_agent, "resume": resume_agent, "retire": retire_agent}


def manage_agent(caller: Caller, given: ManageAgentIn) -> Answer:
    if given.action == "list":
        return {"agents": show_rows(AgentSerializer(), agents_of(get_board(caller, given.board_id)))}
    agent = get_agent(caller, given.agent_id)
    if given.action == "versions":
        return {"versions": show_rows(AgentVersionSerializer(), versions_of(agent))}
    if given.action != "read":
        agent = _CHANGES[given.action](caller, agent=agent)
    return {"agent": AgentSerializer(agent).data}


MANAGE_AGENT = Tool[Caller](
    name="manage_agent",
    title="List, read, pause, resume or retire agents",
    description=(
        "list shows a board's agents, read one of them with its live version and its draft, versions all it ever had. "
        "pause keeps an agent from starting anything new (its cards wait), resume lets it work again. retire ends it "
        "for good: confirm with the user first. It is refused while a published rule uses the agent; what it is at "
        "work on keeps its result, and its history stays."
    ),
    input=ManageAgentIn,
    handler=manage_agent,
    effect=Effect.WRITE,
    capabilities=("agents",),
    reads=frozenset({"list", "read", "versions"}),
    is_destructive=True,
)
