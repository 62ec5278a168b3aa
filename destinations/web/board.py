"""Where the finished cards of one board go."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.confirm import Question, asked
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.htmx import is_htmx, partial_or_page, say
from boards.access import get_board, is_manager, require_manager
from boards.models import Board
from destinations.selectors.destinations import default_of, destinations_alone_of
from destinations.services.destinations import target_of
from destinations.services.uses import clear_default
from destinations.web.destination import submit_default
from destinations.web.forms import BoardIn
from workspaces.access import require_capability
from workspaces.caller import Caller
from workspaces.roles import Role, is_at_least
from workspaces.web.session import member_page
from workspaces.web.submit import submit


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def destination(request: HttpRequest, caller: Caller, board_id: str) -> HttpResponse:
    """Show where finished cards go, and take another place once its manager has agreed to it."""
    require_capability(caller, "destinations")
    board = get_board(caller, board_id)
    if request.method != "POST":
        return _show(request, caller, board, Form())
    require_manager(caller, board)
    typed = {name: request.POST.get(name, "") for name in ("destination_id", "confirm")}
    try:
        submit_default(request, caller, {**typed, "board_id": str(board.pk)})
    except Refused as refused:
        form = Form(values=typed, refused=show_in_place(refused))
        return _show(request, caller, board, form, status=refused_status(refused))
    if not is_htmx(request):
        return HttpResponseRedirect(reverse("board-destination", args=[board.pk]))
    return say(_show(request, caller, board, Form()), "What is finished goes there from now on.")


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def clear(request: HttpRequest, caller: Caller, board_id: str) -> HttpResponse:
    """GET asks, POST lets finished cards go nowhere."""
    require_capability(caller, "destinations")
    board = get_board(caller, board_id)
    require_manager(caller, board)
    question = Question(
        name="clear-board-destination",
        of=str(board.pk),
        title=f"Deliver nothing more of {board.name}?",
        text="Finished cards stay on the board, and nothing of them leaves. What is on its way is still delivered, and "
        "cards with a destination of their own keep it.",
        button="Deliver nothing more",
        back=("board-settings", str(board.pk)),
        back_name="Settings",
    )

    def run(_: BoardIn) -> Answer:
        clear_default(caller, board=board)
        return {"board_id": str(board.pk)}

    def act() -> None:
        given = {"board_id": str(board.pk)}
        submit(request, caller, name="clear_default_destination", model=BoardIn, given=given, run=run)

    return asked(request, question, act, "Finished cards stay here from now on.")


def _show(request: HttpRequest, caller: Caller, board: Board, form: Form, *, status: int = 200) -> HttpResponse:
    use = default_of(board)
    manages = is_at_least(caller.role, Role.MEMBER) and is_manager(caller, board) and board.archived_at is None
    found = destinations_alone_of(caller) if manages else []
    context = {
        "board": board,
        "use": use,
        "target": target_of(use.destination) if use else "",
        "manages": manages,
        "choices": [(one, target_of(one)) for one in found if use is None or one.pk != use.destination_id],
        "form": form,
    }
    return partial_or_page(request, "destinations/_board.html", "destinations/board.html", context, status)
