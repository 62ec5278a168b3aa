"""The settings of a board: its name, what it is for, the guidelines of its agents, and who opens it."""

from __future__ import annotations

import hashlib
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.htmx import is_htmx, partial_or_page, say
from bakedbrie.lib.web.paging import page_in_address
from boards.access import get_board, is_manager, require_manager
from boards.inputs import GUIDELINES_MOST, EditBoardIn
from boards.models import Board
from boards.selectors.members import heads_of, let_into, may_be_let_in
from boards.services.boards import edit_board
from workspaces.access import require_capability, require_writer
from workspaces.caller import Caller
from workspaces.roles import Role, is_at_least
from workspaces.web.session import member_page
from workspaces.web.submit import submit

MOST_OFFERED = 100
MEMBERS_SHOWN = 50
_NAMING = ("name", "description")
_GUIDING = ("guidelines",)
_MOST_DIGITS = 9


@require_safe
@member_page
def settings(request: HttpRequest, caller: Caller, board_id: str) -> HttpResponse:
    return show_settings(request, caller, get_board(caller, board_id))


@require_POST
@member_page
def name(request: HttpRequest, caller: Caller, board_id: str) -> HttpResponse:
    """Save name and description."""
    board = get_board(caller, board_id)
    require_manager(caller, board)
    return _edit(request, caller, board, _NAMING, "Board saved.")


@require_POST
@member_page
def guidelines(request: HttpRequest, caller: Caller, board_id: str) -> HttpResponse:
    """Save the guidelines, which every member who works on the board may write."""
    board = get_board(caller, board_id)
    require_writer(caller)
    require_capability(caller, "api_workflow")
    return _edit(request, caller, board, _GUIDING, "Guidelines saved.")


def settings_after(request: HttpRequest, caller: Caller, board: Board, told: str) -> HttpResponse:
    """Answer a form that worked: the settings anew for HTMX, the way back to their page otherwise."""
    if not is_htmx(request):
        return HttpResponseRedirect(reverse("board-settings", args=[board.pk]))
    return say(show_settings(request, caller, get_board(caller, board.pk)), told)


def show_settings(
    request: HttpRequest,
    caller: Caller,
    board: Board,
    *,
    used: tuple[str, Form] | None = None,
    refused: Refused | None = None,
) -> HttpResponse:
    """Render the settings; ``used`` is the form that was just refused, behind its name, ``refused`` what belongs to
    no form."""
    context = _context(request, caller, board)
    name, form = used or ("", Form())
    if name in context["shown_forms"]:
        context[name] = form
    else:
        refused = refused or form.refused
    trouble = refused or form.refused
    status = refused_status(trouble) if trouble else 200
    context = {**context, "refused": refused}
    return partial_or_page(request, "boards/_settings.html", "boards/settings_page.html", context, status)


def _context(request: HttpRequest, caller: Caller, board: Board) -> dict[str, Any]:
    given = {name: request.GET[name] for name in ("cursor", "find") if request.GET.get(name)}
    writes, is_open = is_at_least(caller.role, Role.MEMBER), board.archived_at is None
    manages, has_guidelines = writes and is_manager(caller, board), "api_workflow" in caller.capabilities
    offered = list(may_be_let_in(caller, board, given.get("find", ""))[: MOST_OFFERED + 1]) if manages else []
    shown = {
        "name_form": manages and is_open,
        "guidelines_form": has_guidelines and writes and is_open,
        "member_form": bool(offered),
    }
    return {
        "board": board,
        "manages": manages,
        "has_guidelines": has_guidelines,
        "shown_forms": {name for name, is_shown in shown.items() if is_shown},
        "heads": list(heads_of(board)[:MOST_OFFERED]),
        "members": page_in_address(request, let_into(board), limit=MEMBERS_SHOWN, order=("id",)),
        "offered": offered[:MOST_OFFERED],
        "offers_search": len(offered) > MOST_OFFERED or "find" in given,
        "given": given,
        "guidelines_most": GUIDELINES_MOST,
        "name_form": Form(values={"name": board.name, "description": board.description}),
        "name_seen": _seen(board, _NAMING),
        "guidelines_form": Form(values={"guidelines": board.guidelines}),
        "guidelines_seen": _seen(board, _GUIDING),
        "member_form": Form(),
    }


def _edit(request: HttpRequest, caller: Caller, board: Board, fields: tuple[str, ...], told: str) -> HttpResponse:
    """Save what was typed, unless somebody changed the same meanwhile: then both are shown.

    The revision counts every change of the board; whoever edits its name has overlooked no guidelines by that. So it
    decides only where these fields are not those that the form was made from.
    """
    typed = {field: request.POST.get(field, "").replace("\r\n", "\n") for field in fields}
    is_as_seen = request.POST.get("seen") == _seen(board, fields)

    def run(given: EditBoardIn) -> Answer:
        edited = edit_board(
            caller,
            board=board,
            expected_revision=board.revision if is_as_seen else given.expected_revision,
            name=given.name,
            description=given.description,
            guidelines=given.guidelines,
        )
        return {"board_id": str(edited.pk)}

    try:
        given = {"expected_revision": _number(request.POST.get("expected_revision", "")), **typed}
        submit(request, caller, name=f"edit_board {board.pk}", model=EditBoardIn, given=given, run=run)
    except Refused as refused:
        form = Form(values=typed, refused=show_in_place(refused))
        name = "name_form" if fields == _NAMING else "guidelines_form"
        return show_settings(request, caller, get_board(caller, board.pk), used=(name, form))
    return settings_after(request, caller, board, told)


def _seen(board: Board, fields: tuple[str, ...]) -> str:
    """Return what stands for exactly these texts of the board."""
    return hashlib.sha256("\0".join(getattr(board, field) for field in fields).encode()).hexdigest()


def _number(text: str) -> int | str:
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else text
