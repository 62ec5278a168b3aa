"""The first page: boards, the cards that need somebody, and adding a board."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.htmx import go_to, partial_or_page
from boards.services.boards import create_board
from workflows.inputs import CreateBoardIn
from workflows.selectors.boards import can_write
from workflows.selectors.home import home_page
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


def _show(request: HttpRequest, caller: Caller, *, form: Form | None = None, status: int = 200) -> HttpResponse:
    context = {
        "page": home_page(caller),
        "may_write": can_write(caller),
        "board_form": form or Form(),
        "mcp_address": f"{settings.APP_URL}/mcp",
    }
    return partial_or_page(request, "workflows/_home.html", "workflows/home.html", context, status)
