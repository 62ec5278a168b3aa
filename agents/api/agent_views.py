"""Agents and their versions over REST, to read. They are written through the tools."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from agents.access import get_agent
from agents.selectors import agents_of, versions_of
from agents.serializers import AgentSerializer, AgentVersionSerializer
from bakedbrie.lib.paging import PageInput, page
from bakedbrie.lib.toolkit.inputs import parse_query
from bakedbrie.lib.web.operation import Operation
from bakedbrie.lib.web.rows import show_rows
from boards.access import get_board
from workspaces.access import require_capability
from workspaces.api.views import CallerView


class BoardAgentsView(CallerView):
    @Operation("List the agents of a board", query=PageInput, answer={"agents": AgentSerializer(many=True)})
    def get(self, request: Request, board_id: str) -> Response:
        given = parse_query(PageInput, request.query_params.dict())
        require_capability(self.caller, "agents")
        agents = agents_of(get_board(self.caller, board_id))
        found = page(agents, cursor=given.cursor, limit=given.limit, order=("id",))
        return self.answer({"agents": show_rows(AgentSerializer(), found.items), "next_cursor": found.next_cursor})


class AgentView(CallerView):
    @Operation("Read an agent", answer={"agent": AgentSerializer()})
    def get(self, request: Request, agent_id: str) -> Response:
        require_capability(self.caller, "agents")
        return self.answer({"agent": AgentSerializer(get_agent(self.caller, agent_id)).data})


class AgentVersionsView(CallerView):
    @Operation(
        "List the versions of an agent, newest first",
        query=PageInput,
        answer={"versions": AgentVersionSerializer(many=True)},
    )
    def get(self, request: Request, agent_id: str) -> Response:
        given = parse_query(PageInput, request.query_params.dict())
        require_capability(self.caller, "agents")
        versions = versions_of(get_agent(self.caller, agent_id))
        found = page(versions, cursor=given.cursor, limit=given.limit, order=("-n",))
        shown = show_rows(AgentVersionSerializer(), found.items)
        return self.answer({"versions": shown, "next_cursor": found.next_cursor})
