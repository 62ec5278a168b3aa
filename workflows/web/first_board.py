"""A board from a template, and the card to try it with."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from agents.access import get_account
from agents.models import AiAccount
from agents.selectors import payer_for, ready_accounts
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from boards.access import get_board, get_stage
from boards.models import Board, Stage
from workflows.inputs import BeginBoardIn, CreateCardIn
from workflows.selectors.triggers import rules_of
from workflows.services.board_templates import TEMPLATES, BoardTemplate
from workflows.services.cards import create_card
from workflows.services.first_steps import REVIEWS_NEED, begin_board
from workspaces.access import require_capability, require_writer
from workspaces.caller import Caller
from workspaces.roles import Role, is_at_least
from workspaces.web.session import member_page
from workspaces.web.submit import submit


@dataclass(frozen=True, kw_only=True)
class Start:
    """A column that a card may begin in. ``agent`` starts there, and ``payer`` pays."""

    stage: Stage
    agent: str = ""
    payer: AiAccount | None = None


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def first_board(request: HttpRequest, caller: Caller) -> HttpResponse:
    """Show the templates; a POST makes the board of one, with agents and rules at work."""
    require_writer(caller)
    require_capability(caller, "agents", "triggers")
    if request.method != "POST":
        return _show_templates(request, caller, Form(values={"template": "blog", "reviewed": "yes"}))
    typed = {name: request.POST.get(name, "") for name in ("template", "name", "account", "reviewed")}

    def run(given: BeginBoardIn) -> Answer:
        account = get_account(caller, given.account) if given.account else None
        template = TEMPLATES[given.template]
        name = given.name or template.plan.name
        board = begin_board(caller, template=template, name=name, account=account, is_reviewed=given.reviewed)
        return {"board_id": str(board.pk)}

    try:
        given = {**typed, "reviewed": typed["reviewed"] == "yes"}
        made = submit(request, caller, name="begin_board", model=BeginBoardIn, given=given, run=run)
    except Refused as refused:
        form = Form(values=typed, refused=show_in_place(refused))
        return _show_templates(request, caller, form, status=refused_status(refused))
    return HttpResponseRedirect(reverse("first-card", args=[made["board_id"]]))


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def first_card(request: HttpRequest, caller: Caller, board_id: str) -> HttpResponse:
    """Offer a card that tries the board out; a POST adds it, and says where it is worked on."""
    board = get_board(caller, board_id)
    require_writer(caller)
    if request.method != "POST":
        template = _template_of(board)
        values = {"title": template.title, "brief": template.brief} if template else {}
        return _show_card(request, board, Form(values=values))
    typed = {name: request.POST.get(name, "").replace("\r\n", "\n") for name in ("title", "brief", "stage_id")}

    def run(given: CreateCardIn) -> Answer:
        stage = get_stage(caller, given.stage_id) if given.stage_id else None
        return {"card_id": str(create_card(caller, board=board, stage=stage, title=given.title, brief=given.brief).pk)}

    try:
        given = {**typed, "board_id": str(board.pk)}
        made = submit(request, caller, name="create_card", model=CreateCardIn, given=given, run=run)
    except Refused as refused:
        return _show_card(
            request, board, Form(values=typed, refused=show_in_place(refused)), status=refused_status(refused)
        )
    return HttpResponseRedirect(reverse("card", args=[made["card_id"]]))


def _show_templates(request: HttpRequest, caller: Caller, form: Form, status: int = 200) -> HttpResponse:
    context = {
        "form": form,
        "templates": list(TEMPLATES.values()),
        "accounts": list(ready_accounts(caller)),
        "are_reviewed": caller.capabilities.issuperset(REVIEWS_NEED),
        "may_switch": is_at_least(caller.role, Role.ADMIN),
    }
    return render(request, "workflows/first_board.html", context, status=status)


def _show_card(request: HttpRequest, board: Board, form: Form, status: int = 200) -> HttpResponse:
    starts = _starts(board)
    chosen = form.values.get("stage_id") or next((str(one.stage.pk) for one in starts if one.agent), "")
    context = {"board": board, "form": form, "starts": starts, "chosen": chosen}
    return render(request, "workflows/first_card.html", context, status=status)


def _template_of(board: Board) -> BoardTemplate | None:
    """Return the template whose agents work on a board, or none: nothing else tells where a board came from."""
    names = {rule.agent.name for rule in rules_of(board)}
    return next((one for one in TEMPLATES.values() if {rule.agent for rule in one.plan.rules} == names), None)


def _starts(board: Board) -> list[Start]:
    """Return the first column, where nothing starts, and the first in which an agent does."""
    stages = list(board.stages.order_by("position", "pk"))
    rules = {rule.from_stage_id: rule for rule in rules_of(board) if rule.is_on}
    working = next((stage for stage in stages if stage.pk in rules), None)
    starts = [Start(stage=stage) for stage in stages[:1] if stage != working]
    if working is not None:
        agent = rules[working.pk].agent
        starts.append(Start(stage=working, agent=agent.name, payer=payer_for(agent)))
    return starts
