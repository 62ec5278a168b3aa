"""The work folder of a board: where it is, who decides, what becomes of Inbox/, and the files in it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents.refusals import CONFIRMATION_NEEDED
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import Input
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.htmx import go_to, partial_or_page
from bakedbrie.lib.web.paging import page_in_address
from boards.access import get_board, is_manager, require_manager
from boards.models import Board
from boards.selectors.members import heads_of, let_into
from destinations.selectors.destinations import destinations_of
from destinations.states import DestinationState
from reviews.access import find_folder, get_hosted_file
from reviews.inputs import ANYONE, WorkFolderIn
from reviews.receipts import folder_message
from reviews.selectors.folders import counts, files_in
from reviews.services.file_links import make_link
from reviews.services.folders import plan_from, set_work_folder
from reviews.services.trying import try_folder_now
from reviews.states import FolderStorage, InboxMode
from reviews.web.folder_words import sentences_of
from workspaces.access import require_capability
from workspaces.caller import Caller
from workspaces.roles import Role, is_at_least
from workspaces.services.room import usage_of
from workspaces.web.session import member_page
from workspaces.web.submit import submit

FILES_SHOWN = 50
MOST_OFFERED = 100
_FIELDS = ("place", "reviewer_id", "inbox")


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def folder(request: HttpRequest, caller: Caller, board_id: str) -> HttpResponse:
    """Show the work folder, and set it once its manager has seen what changes."""
    require_capability(caller, "reviews")
    board = get_board(caller, board_id)
    if request.method != "POST":
        return _show(request, caller, board)
    require_manager(caller, board)
    typed = {name: request.POST.get(name, "") for name in _FIELDS}

    def run(given: WorkFolderIn) -> Answer:
        plan = plan_from(caller, board=board, given=given)
        set_work_folder(caller, board=board, plan=plan, confirm=given.confirm or False)
        return {"board_id": str(board.pk)}

    try:
        given = {**_given(typed), "confirm": request.POST.get("confirm") == "yes"}
        submit(request, caller, name=f"set_work_folder {board.pk}", model=WorkFolderIn, given=given, run=run)
    except Refused as refused:
        return _show(request, caller, board, Form(values=typed, refused=show_in_place(refused)))
    return go_to(request, reverse("work-folder", args=[board.pk]))


@require_safe
@member_page
def file(request: HttpRequest, caller: Caller, file_id: str) -> HttpResponse:
    """Lead to a short-lived address of a file in our storage."""
    return HttpResponseRedirect(make_link(caller, file=get_hosted_file(caller, file_id)).url)


@require_POST
@member_page
def try_now(request: HttpRequest, caller: Caller, board_id: str) -> HttpResponse:
    """Look at the bucket at once; the page follows."""
    require_capability(caller, "reviews")
    board = get_board(caller, board_id)

    def run(_: Input) -> Answer:
        try_folder_now(caller, board=board)
        return {}

    submit(request, caller, name=f"try_folder {board.pk}", model=Input, given={}, run=run)
    return HttpResponseRedirect(reverse("work-folder", args=[board.pk]))


def _given(typed: dict[str, str]) -> dict[str, str]:
    place = typed["place"]
    named = {"storage": place} if place in {FolderStorage.HOSTED, FolderStorage.NONE} else {"destination_id": place}
    chosen = {**(named if place else {}), "reviewer_id": typed["reviewer_id"], "inbox": typed["inbox"]}
    return {name: value for name, value in chosen.items() if value}


def _show(request: HttpRequest, caller: Caller, board: Board, form: Form | None = None) -> HttpResponse:
    found = find_folder(board)
    manages = is_at_least(caller.role, Role.MEMBER) and is_manager(caller, board) and board.archived_at is None
    form = form or Form(values=_values(found))
    asks = form.refused is not None and form.refused.code == CONFIRMATION_NEEDED.code
    confirm = form.refused.details.get("untrusted_data") if form.refused and asks else None
    shown = page_in_address(request, files_in(board).select_related("card"), limit=FILES_SHOWN, order=("-id",))
    context: dict[str, Any] = {
        "board": board,
        "folder": found,
        "is_on": found is not None and counts(found, board.workspace),
        "manages": manages,
        "form": form,
        "confirm": confirm,
        "reviewer_note": form.refused.details.get("reviewer_note", "") if form.refused and asks else "",
        "changes": sentences_of(confirm["before"], confirm["after"]) if isinstance(confirm, dict) else [],
        "offers_hosted": "hosted_work_folder" in caller.capabilities,
        "buckets": destinations_of(caller).exclude(state=DestinationState.OFF)[:MOST_OFFERED] if manages else [],
        "reviewers": _reviewers(board) if manages else [],
        "trouble": folder_message(found.code) if found is not None and found.code else "",
        "files": [(file, folder_message(file.code) if file.code else "") for file in shown.items],
        "next_cursor": shown.next_cursor,
        "usage": usage_of(caller.workspace.pk),
    }
    status = refused_status(form.refused) if form.refused else 200
    return partial_or_page(request, "reviews/_folder.html", "reviews/folder_page.html", context, status)


def _values(found: Any) -> dict[str, str]:
    if found is None:
        return {"place": FolderStorage.NONE.value, "reviewer_id": ANYONE, "inbox": InboxMode.ATTACH.value}
    place = str(found.destination_id) if found.storage == FolderStorage.S3 else found.storage
    return {"place": place, "reviewer_id": str(found.reviewer_id or ANYONE), "inbox": found.inbox}


def _reviewers(board: Board) -> list[tuple[str, str]]:
    """Return who may decide on the board, by member id and name."""
    heads = [(str(member.pk), member.actor.name) for member in heads_of(board)[:MOST_OFFERED]]
    others = let_into(board).exclude(member__role=Role.VIEWER)[:MOST_OFFERED]
    return heads + [(str(row.member_id), row.member.actor.name) for row in others]
