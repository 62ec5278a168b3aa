"""The board: its columns, and adding a card to one."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.htmx import is_htmx, partial_or_page, say
from boards.access import get_board, get_stage
from boards.models import Board
from workflows.inputs import CreateCardIn
from workflows.selectors.boards import board_page
from workflows.services.cards import create_card
from workspaces.caller import Caller
from workspaces.web.session import member_page
from workspaces.web.submit import submit


@require_safe
@member_page
def board(request: HttpRequest, caller: Caller, board_id: str) -> HttpResponse:
    return _show(request, caller, get_board(caller, board_id))


@require_POST
@member_page
def add_card(request: HttpRequest, caller: Caller, board_id: str) -> HttpResponse:
    """Add a card and leave the form of its column open for the next one."""
    board = get_board(caller, board_id)
    typed = {field: request.POST.get(field, "") for field in ("title", "brief")}
    stage_id = request.POST.get("stage_id", "")

    def run(given: CreateCardIn) -> Answer:
        card = create_card(
            caller, board=board, stage=get_stage(caller, given.stage_id), title=given.title, brief=given.brief
        )
        return {"card_id": str(card.pk)}

    given = {"board_id": str(board.pk), "stage_id": stage_id, **typed}
    try:
        submit(request, caller, name="create_card", model=CreateCardIn, given=given, run=run)
    except Refused as refused:
        form = Form(values=typed, refused=show_in_place(refused))
        return _show(request, caller, board, used=(stage_id, form), status=refused_status(refused))
    if not is_htmx(request):
        return HttpResponseRedirect(reverse("board", args=[board.pk]))
    return say(_show(request, caller, board, used=(stage_id, Form(is_open=True))), "Card added.")


def _show(
    request: HttpRequest, caller: Caller, board: Board, *, used: tuple[str, Form] | None = None, status: int = 200
) -> HttpResponse:
    """Render the board; ``used`` is the form that was just sent, with the column it belongs to."""
    page = board_page(caller, board)
    stage_id, form = used or ("", Form())
    columns = [
        {"column": column, "form": form if str(column.stage.pk) == stage_id else Form()} for column in page.columns
    ]
    context = {
        "board": board,
        "page": page,
        "columns": columns,
        "may_write": page.can_write and board.archived_at is None,
        "refused": form.refused,
    }
    return partial_or_page(request, "workflows/_board.html", "workflows/board_page.html", context, status)
