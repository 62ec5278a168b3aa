"""The first page: what needs somebody, the boards, the first steps, and adding a board."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.htmx import go_to, is_htmx, partial_or_page
from boards.access import get_board
from boards.inputs import AddBoardMemberIn
from boards.services.members import add_board_member
from workflows.inputs import CreateBoardIn
from workflows.selectors.boards import can_write
from workflows.selectors.home import STEPS, home_page
from workflows.services.boards import create_board
from workflows.services.first_steps import put_off_steps
from workflows.web.needs import line_of
from workspaces.access import get_member
from workspaces.audience import mcp_address
from workspaces.caller import Caller
from workspaces.web.session import member_page
from workspaces.web.submit import submit


@require_safe
@member_page
def home(request: HttpRequest, caller: Caller) -> HttpResponse:
    return _show(request, caller)


@require_POST
@member_page
def add_board(request: HttpRequest, caller: Caller) -> HttpResponse:
    """Add a board and open it."""
    typed = {field: request.POST.get(field, "").replace("\r\n", "\n") for field in ("name", "description")}

    def run(given: CreateBoardIn) -> Answer:
        return {"board_id": str(create_board(caller, name=given.name, description=given.description).pk)}

    try:
        answer = submit(request, caller, name="create_board", model=CreateBoardIn, given=typed, run=run)
    except Refused as refused:
        form = Form(values=typed, refused=show_in_place(refused))
        return _show(request, caller, form=form, status=refused_status(refused))
    return go_to(request, reverse("board", args=[answer["board_id"]]))


@require_POST
@member_page
def first_steps(request: HttpRequest, caller: Caller) -> HttpResponse:
    """Put off one of the first steps or all of them, or take them up again; doing it twice changes nothing."""
    asked = request.POST.get("step", "")
    steps = (asked,) if asked in STEPS else STEPS
    put_off_steps(caller, steps=steps, is_put_off=request.POST.get("shown") != "yes")
    return _show(request, caller) if is_htmx(request) else HttpResponseRedirect(reverse("home"))


@require_POST
@member_page
def let_in(request: HttpRequest, caller: Caller) -> HttpResponse:
    """Let somebody who joined into one board; doing it twice changes nothing."""
    board = get_board(caller, request.POST.get("board_id", ""))
    typed = {"member_id": request.POST.get("member_id", "")}

    def run(given: AddBoardMemberIn) -> Answer:
        add_board_member(caller, board=board, member=get_member(caller, given.member_id))
        return {}

    submit(request, caller, name=f"add_board_member {board.pk}", model=AddBoardMemberIn, given=typed, run=run)
    return HttpResponseRedirect(reverse("home"))


def _show(request: HttpRequest, caller: Caller, *, form: Form | None = None, status: int = 200) -> HttpResponse:
    page = home_page(caller)
    is_beginning = can_write(caller) and not page.first_steps.is_over
    context = {
        "page": page,
        "needs": [line_of(caller, need) for need in page.needs],
        "needs_hidden": page.needs_total - len(page.needs),
        "shows_first_steps": is_beginning and not page.first_steps.is_put_off,
        "offers_first_steps": is_beginning and page.first_steps.is_put_off,
        "may_use_templates": {"agents", "triggers"} <= caller.capabilities,
        "may_write": can_write(caller),
        "board_form": form or Form(),
        "mcp_address": mcp_address() if settings.MCP_ENABLED else "",
    }
    return partial_or_page(request, "workflows/_home.html", "workflows/home.html", context, status)
