"""An agent: how it is set up, what publishing would change, who pays, and what it did; pausing and resuming it."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from agents.access import get_agent
from agents.activity import activity_of, figures_of, turns_by
from agents.models import Agent
from agents.selectors import permits_of, versions_of
from agents.services.agents import pause_agent, resume_agent
from agents.states import AgentState
from agents.web.form import area_rows
from agents.web.payer import payer_of
from agents.web.publishing import publication_of
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.forms import refused_status, show_in_place
from bakedbrie.lib.web.htmx import is_htmx, partial_or_page, say
from bakedbrie.lib.web.paging import page_in_address
from boards.access import require_manager
from workflows.inputs import ManageAgentIn
from workflows.selectors.triggers import rules_of
from workflows.web.agents import may_manage
from workspaces.access import require_capability
from workspaces.caller import Caller
from workspaces.web.session import member_page
from workspaces.web.submit import submit

TURNS_SHOWN = 20
VERSIONS_SHOWN = 5
PERMITS_SHOWN = 50


@require_safe
@member_page
def agent(request: HttpRequest, caller: Caller, agent_id: str) -> HttpResponse:
    require_capability(caller, "agents")
    return _show(request, caller, get_agent(caller, agent_id))


@require_POST
@member_page
def pause(request: HttpRequest, caller: Caller, agent_id: str) -> HttpResponse:
    return _change(request, caller, agent_id, "pause", pause_agent, "Paused. It starts nothing new.")


@require_POST
@member_page
def resume(request: HttpRequest, caller: Caller, agent_id: str) -> HttpResponse:
    return _change(request, caller, agent_id, "resume", resume_agent, "Resumed. Its waiting cards start.")


def _change(
    request: HttpRequest, caller: Caller, agent_id: str, action: str, service: Callable[..., Agent], told: str
) -> HttpResponse:
    require_capability(caller, "agents")
    agent = get_agent(caller, agent_id)
    require_manager(caller, agent.board)

    def run(_: ManageAgentIn) -> Answer:
        return {"state": service(caller, agent=agent).state}

    try:
        given = {"action": action, "agent_id": str(agent.pk)}
        submit(request, caller, name="manage_agent", model=ManageAgentIn, given=given, run=run)
    except Refused as refused:
        return _show(request, caller, get_agent(caller, agent.pk), refused=show_in_place(refused))
    if not is_htmx(request):
        return HttpResponseRedirect(reverse("agent", args=[agent.pk]))
    return say(_show(request, caller, get_agent(caller, agent.pk)), told)


def _show(request: HttpRequest, caller: Caller, agent: Agent, *, refused: Refused | None = None) -> HttpResponse:
    turns = page_in_address(request, turns_by(agent), limit=TURNS_SHOWN, order=("-id",))
    shown = agent.published or agent.draft
    assert shown is not None
    versions = list(versions_of(agent)[: VERSIONS_SHOWN + 1])
    can_change = may_manage(caller, agent.board) and agent.state != AgentState.RETIRED
    context = {
        "agent": agent,
        "board": agent.board,
        "shown": shown,
        "rows": area_rows(shown.permissions),
        "publication": publication_of(agent),
        "rules": [rule for rule in rules_of(agent.board) if rule.agent_id == agent.pk],
        "activity": activity_of([agent])[agent.pk],
        "payer": payer_of(agent, caller.workspace),
        "permits": permits_of(agent)[:PERMITS_SHOWN],
        "versions": versions[:VERSIONS_SHOWN],
        "has_more_versions": len(versions) > VERSIONS_SHOWN,
        "turns": [{"turn": turn, "figures": figures_of(turn)} for turn in turns.items],
        "next_cursor": turns.next_cursor,
        "is_later_page": "cursor" in request.GET,
        "query": request.GET.urlencode(),
        "may_manage": can_change,
        "refused": refused,
    }
    status = refused_status(refused) if refused else 200
    return partial_or_page(request, "agents/_agent.html", "agents/agent_page.html", context, status)
