"""The board: its columns, and adding a card to one."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.htmx import is_htmx, partial_or_page, say
from boards.access import get_board, get_stage, is_manager
from boards.models import Board
from workflows.inputs import CreateCardIn
from workflows.selectors.boards import RuledColumn, board_page
from workflows.services.cards import create_card
from workspaces.caller import Caller
from workspaces.web.session import member_page
from workspaces.web.submit import submit


@require_safe
@member_page
def board(request: HttpRequest, caller: Caller, board_id: str) -> HttpResponse:
    return show_board(request, caller, get_board(caller, board_id))


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
        return show_board(request, caller, board, used=(f"composer-{stage_id}", form), status=refused_status(refused))
    return board_after(request, caller, board, "Card added.", used=(f"composer-{stage_id}", Form(is_open=True)))


def board_after(
    request: HttpRequest, caller: Caller, board: Board, told: str, *, used: tuple[str, Form] | None = None
) -> HttpResponse:
    """Answer a form that worked: the board anew for HTMX, the way back to its page otherwise."""
    if not is_htmx(request):
        return HttpResponseRedirect(reverse("board", args=[board.pk]))
    return say(show_board(request, caller, board, used=used), told)


def show_board(
    request: HttpRequest, caller: Caller, board: Board, *, used: tuple[str, Form] | None = None, status: int = 200
) -> HttpResponse:
    """Render the board; ``used`` is the form that was just sent, behind the id of what it stands in."""
    page = board_page(caller, board)
    used_id, form = used or ("", Form())
    is_open = board.archived_at is None
    context = {
        "board": board,
        "page": page,
        "columns": [_shown(column, page.columns, used_id, form) for column in page.columns],
        "new_column_form": form if used_id == "new-column" else Form(),
        "may_write": page.can_write and is_open,
        "may_delete_columns": page.can_write and is_open and is_manager(caller, board),
        "refused": form.refused,
    }
    return partial_or_page(request, "workflows/_board.html", "workflows/board_page.html", context, status)


def _shown(column: RuledColumn, columns: tuple[RuledColumn, ...], used_id: str, form: Form) -> dict[str, object]:
    """Return a column with its forms; the first one and the last one keep their places."""
    place, last = columns.index(column), len(columns) - 1
    return {
        "column": column,
        "form": form if used_id == f"composer-{column.stage.pk}" else Form(),
        "menu_form": form if used_id == f"column-menu-{column.stage.pk}" else Form(),
        "is_between": 0 < place < last,
        "may_go_left": 1 < place < last,
        "may_go_right": 0 < place < last - 1,
    }
