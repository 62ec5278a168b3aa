"""Every version of an agent: who wrote it and when, and what it changed."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agents.access import get_agent
from agents.selectors import versions_of
from agents.web.changes import changes_between
from agents.web.form import area_rows
from bakedbrie.lib.refusals import NOT_FOUND
from bakedbrie.lib.web.paging import page_in_address
from workspaces.access import require_capability
from workspaces.caller import Caller
from workspaces.web.session import member_page

VERSIONS_SHOWN = 50
_MOST_DIGITS = 9


@require_safe
@member_page
def versions(request: HttpRequest, caller: Caller, agent_id: str) -> HttpResponse:
    require_capability(caller, "agents")
    agent = get_agent(caller, agent_id)
    found = page_in_address(request, versions_of(agent), limit=VERSIONS_SHOWN, order=("-n",))
    context = {
        "agent": agent,
        "board": agent.board,
        "versions": found.items,
        "next_cursor": found.next_cursor,
        "is_later_page": "cursor" in request.GET,
    }
    return render(request, "agents/versions.html", context)


@require_safe
@member_page
def version(request: HttpRequest, caller: Caller, agent_id: str, n: str) -> HttpResponse:
    """Show one version, and what it changed of the version before it."""
    require_capability(caller, "agents")
    agent = get_agent(caller, agent_id)
    number = int(n) if n.isdecimal() and len(n) <= _MOST_DIGITS else 0
    newest_first = list(versions_of(agent).filter(n__lte=number)[:2])
    if not newest_first or newest_first[0].n != number:
        raise NOT_FOUND()
    shown, before = newest_first[0], next(iter(newest_first[1:]), None)
    context = {
        "agent": agent,
        "board": agent.board,
        "version": shown,
        "before": before,
        "changes": changes_between(before, shown) if before else None,
        "rows": area_rows(shown.permissions),
    }
    return render(request, "agents/version.html", context)
