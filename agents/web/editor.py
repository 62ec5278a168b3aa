"""Writing an agent's draft: a new agent, or a change of one that works already."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from agents.access import get_agent
from agents.inputs import CreateAgentDraftIn
from agents.models import Agent
from agents.refusals import AGENT_RETIRED
from agents.rules import MOST_TURNS, full_permissions
from agents.services.agents import limit_draft, write_draft
from agents.states import AgentState
from agents.web.form import area_rows, form_of, given_of, rows_of, seen_of, shown_version, typed_in, whole_number
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from boards.access import get_board, require_manager, require_open
from boards.models import Board
from workspaces.access import require_capability
from workspaces.caller import Caller
from workspaces.web.session import member_page
from workspaces.web.submit import submit


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def new(request: HttpRequest, caller: Caller, board_id: str) -> HttpResponse:
    require_capability(caller, "agents")
    board = get_board(caller, board_id)
    require_manager(caller, board)
    if request.method != "POST":
        require_open(board)
        return _show(request, board, None, form_of(None))
    typed = typed_in(request.POST)

    def run(given: CreateAgentDraftIn) -> Answer:
        permissions = given.permissions.given() if given.permissions else {}
        agent = write_draft(
            caller, board=board, name=given.name, instructions=given.instructions, permissions=permissions
        )
        if given.max_turns not in {None, MOST_TURNS}:
            agent = limit_draft(caller, agent=agent, max_turns=given.max_turns or MOST_TURNS)
        return {"agent_id": str(agent.pk)}

    try:
        full = {"board_id": str(board.pk), **given_of(typed)}
        made = submit(request, caller, name="create_agent", model=CreateAgentDraftIn, given=full, run=run)
    except Refused as refused:
        return _refused(request, board, None, typed, refused)
    return HttpResponseRedirect(reverse("agent", args=[made["agent_id"]]))


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def edit(request: HttpRequest, caller: Caller, agent_id: str) -> HttpResponse:
    """Write the draft, unless somebody wrote it meanwhile: then both are shown.

    Pausing or binding an account changes the agent too, and nobody who edits has overlooked anything by that. So the
    form's revision decides only where the draft is not the one that the form was made from.
    """
    require_capability(caller, "agents")
    agent = get_agent(caller, agent_id)
    require_manager(caller, agent.board)
    if request.method != "POST":
        require_open(agent.board)
        if agent.state == AgentState.RETIRED:
            raise AGENT_RETIRED()
        return _show(request, agent.board, agent, form_of(shown_version(agent)))
    typed = typed_in(request.POST)
    is_as_seen = request.POST.get("seen") == seen_of(agent)

    def run(given: CreateAgentDraftIn) -> Answer:
        _write(caller, agent, given, agent.revision if is_as_seen else given.expected_revision)
        return {"agent_id": str(agent.pk)}

    try:
        revision = whole_number(request.POST.get("expected_revision", ""))
        ids = {"board_id": str(agent.board_id), "agent_id": str(agent.pk)}
        full = {**ids, "expected_revision": revision, **given_of(typed)}
        submit(request, caller, name="edit_agent", model=CreateAgentDraftIn, given=full, run=run)
    except Refused as refused:
        return _refused(request, agent.board, agent, typed, refused)
    return HttpResponseRedirect(reverse("agent", args=[agent.pk]))


def _write(caller: Caller, agent: Agent, given: CreateAgentDraftIn, expected_revision: int | None) -> None:
    """Write what is not as it was before; a draft that says nothing new is not begun."""
    before = shown_version(agent)
    permissions = {**full_permissions(before.permissions), **(given.permissions.given() if given.permissions else {})}
    is_same = (given.name, given.instructions, permissions) == (
        before.name,
        before.instructions,
        full_permissions(before.permissions),
    )
    max_turns = given.max_turns or before.max_turns
    if is_same and max_turns == before.max_turns and expected_revision == agent.revision:
        return
    write_draft(
        caller,
        board=agent.board,
        agent=agent,
        name=given.name,
        instructions=given.instructions,
        permissions=permissions,
        expected_revision=expected_revision,
    )
    if max_turns != before.max_turns:
        limit_draft(caller, agent=agent, max_turns=max_turns)


def _refused(
    request: HttpRequest, board: Board, agent: Agent | None, typed: dict[str, str], refused: Refused
) -> HttpResponse:
    form = Form(values=typed, refused=show_in_place(refused))
    return _show(request, board, agent, form, status=refused_status(refused))


def _show(request: HttpRequest, board: Board, agent: Agent | None, form: Form, *, status: int = 200) -> HttpResponse:
    now = shown_version(agent) if agent else None
    context = {
        "board": board,
        "agent": agent,
        "form": form,
        "rows": rows_of(form),
        "seen": seen_of(agent) if agent else "",
        "most_turns": MOST_TURNS,
        "now": now,
        "now_rows": area_rows(now.permissions) if now else [],
        "is_conflict": form.refused is not None and form.refused.code == "REVISION_CONFLICT",
    }
    return render(request, "agents/editor.html", context, status=status)
