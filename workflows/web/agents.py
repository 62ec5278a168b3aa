"""The agents of a board: what each works on, where, and what it cost lately."""

from __future__ import annotations

import uuid
from collections import defaultdict
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from agents.activity import Activity, activity_of
from agents.models import Agent
from agents.selectors import agents_of
from agents.states import AgentState
from bakedbrie.lib.web.htmx import partial_or_page
from bakedbrie.lib.web.paging import page_in_address
from boards.access import get_board, is_manager
from boards.models import Board
from workflows.models import Rule
from workflows.selectors.boards import can_write
from workflows.selectors.triggers import rules_of
from workspaces.access import require_capability
from workspaces.caller import Caller
from workspaces.web.session import member_page

AGENTS_SHOWN = 50


@dataclass(frozen=True, kw_only=True)
class AgentLine:
    """An agent of the list. ``rules`` are those that start cards with it now."""

    agent: Agent
    rules: list[Rule]
    activity: Activity


@require_safe
@member_page
def agents(request: HttpRequest, caller: Caller, board_id: str) -> HttpResponse:
    require_capability(caller, "agents")
    board = get_board(caller, board_id)
    is_retired = request.GET.get("show") == "retired"
    everybody = agents_of(board)
    retired = everybody.filter(state=AgentState.RETIRED)
    rows = retired if is_retired else everybody.exclude(state=AgentState.RETIRED)
    found = page_in_address(request, rows, limit=AGENTS_SHOWN, order=("id",))
    context = {
        "board": board,
        "lines": _lines(board, found.items),
        "next_cursor": found.next_cursor,
        "is_later_page": "cursor" in request.GET,
        "is_retired": is_retired,
        "retired_total": 0 if is_retired else retired.count(),
        "may_manage": may_manage(caller, board),
        "query": request.GET.urlencode(),
    }
    return partial_or_page(request, "agents/_agents.html", "agents/agents_page.html", context)


def may_manage(caller: Caller, board: Board) -> bool:
    """Whether the caller may change how the board works now."""
    return can_write(caller) and board.archived_at is None and is_manager(caller, board)


def _lines(board: Board, found: list[Agent]) -> list[AgentLine]:
    rules: dict[uuid.UUID, list[Rule]] = defaultdict(list)
    for rule in rules_of(board):
        if rule.is_on:
            rules[rule.agent_id].append(rule)
    activities = activity_of(found)
    return [AgentLine(agent=agent, rules=rules[agent.pk], activity=activities[agent.pk]) for agent in found]
