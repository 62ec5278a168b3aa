"""Columns of a board, changed where they stand: add, rename, move by one place or to any other, delete."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods, require_POST

from bakedbrie.lib import ids
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import Id, Input
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.confirm import Question, ask, asked
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from boards.access import get_board, get_stage, require_manager
from boards.inputs import StagesIn
from boards.models import Stage
from boards.refusals import STAGE_ORDER_INVALID
from boards.selectors.boards import columns_of
from boards.services.stages import add_stage, delete_stage, rename_stage, reorder_stages, require_deletable
from workflows.web.board_page import board_after, show_board
from workspaces.access import require_writer
from workspaces.caller import Caller
from workspaces.web.session import member_page
from workspaces.web.submit import submit


class ShiftStageIn(Input):
    """By one place, from wherever the column is by then."""

    stage_id: Id
    direction: Literal["left", "right"]


class PutStageIn(Input):
    """Directly before another column of the board, wherever that is by then."""

    stage_id: Id
    before_stage_id: Id


@require_POST
@member_page
def add(request: HttpRequest, caller: Caller, board_id: str) -> HttpResponse:
    board = get_board(caller, board_id)
    require_writer(caller)
    typed = {"name": request.POST.get("name", "")}

    def run(given: StagesIn) -> Answer:
        return {"stage_id": str(add_stage(caller, board=board, name=given.name or "").pk)}

    try:
        given = {"action": "add", "board_id": str(board.pk), **typed}
        submit(request, caller, name="manage_stages", model=StagesIn, given=given, run=run)
    except Refused as refused:
        form = Form(values=typed, refused=show_in_place(refused))
        return show_board(request, caller, board, used=("new-column", form), status=refused_status(refused))
    return board_after(request, caller, board, "Column added.")


@require_POST
@member_page
def rename(request: HttpRequest, caller: Caller, stage_id: str) -> HttpResponse:
    stage = get_stage(caller, stage_id)
    require_writer(caller)
    typed = {"name": request.POST.get("name", "")}

    def run(given: StagesIn) -> Answer:
        return {"stage_id": str(rename_stage(caller, stage=stage, name=given.name or "").pk)}

    try:
        given = {"action": "rename", "stage_id": str(stage.pk), **typed}
        submit(request, caller, name="manage_stages", model=StagesIn, given=given, run=run)
    except Refused as refused:
        return _refused(request, caller, stage, Form(values=typed, refused=show_in_place(refused)))
    return board_after(request, caller, stage.board, "Column renamed.")


@require_POST
@member_page
def shift(request: HttpRequest, caller: Caller, stage_id: str) -> HttpResponse:
    """Move the column by one place and leave its menu open for the next one."""
    stage = get_stage(caller, stage_id)
    require_writer(caller)
    direction = request.POST.get("direction")

    def run(given: ShiftStageIn) -> Answer:
        order = [column.stage.pk for column in columns_of(stage.board)]
        place = order.index(stage.pk)
        to = place + (1 if given.direction == "right" else -1)
        if not 0 <= to < len(order):
            raise STAGE_ORDER_INVALID()
        order[place], order[to] = order[to], order[place]
        reorder_stages(caller, board=stage.board, stage_ids=order)
        return {"stage_id": str(stage.pk)}

    try:
        given = {"stage_id": str(stage.pk), "direction": direction}
        submit(request, caller, name="shift_stage", model=ShiftStageIn, given=given, run=run)
    except Refused as refused:
        return _refused(request, caller, stage, Form(refused=show_in_place(refused)))
    used = (f"column-menu-{stage.pk}", Form(is_open=True))
    return board_after(request, caller, stage.board, f"“{stage.name}” moved {direction}.", used=used)


@require_POST
@member_page
def put(request: HttpRequest, caller: Caller, stage_id: str) -> HttpResponse:
    """Put the column where it was dropped."""
    stage = get_stage(caller, stage_id)
    require_writer(caller)

    def run(given: PutStageIn) -> Answer:
        order = [column.stage.pk for column in columns_of(stage.board) if column.stage.pk != stage.pk]
        before = ids.parse_id(given.before_stage_id)
        if before not in order:
            raise STAGE_ORDER_INVALID()
        order.insert(order.index(before), stage.pk)
        reorder_stages(caller, board=stage.board, stage_ids=order)
        return {"stage_id": str(stage.pk)}

    try:
        given = {"stage_id": str(stage.pk), "before_stage_id": request.POST.get("before_stage_id")}
        submit(request, caller, name="put_stage", model=PutStageIn, given=given, run=run)
    except Refused as refused:
        return _refused(request, caller, stage, Form(refused=show_in_place(refused)))
    return board_after(request, caller, stage.board, f"“{stage.name}” moved.")


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def delete(request: HttpRequest, caller: Caller, stage_id: str) -> HttpResponse:
    """GET asks, POST deletes, or says what stands in the way. Every member changes columns, a manager deletes them."""
    stage = get_stage(caller, stage_id)
    require_manager(caller, stage.board)
    question = Question(
        name="delete-column",
        of=str(stage.pk),
        title=f"Delete the column “{stage.name}”?",
        text="This cannot be undone. A card in the trash that came from it goes back to the first column.",
        button="Delete column",
        back=("board", str(stage.board_id)),
        back_name=stage.board.name,
    )
    if request.method != "POST":
        return _ask(request, stage, question)

    def run(_: StagesIn) -> Answer:
        delete_stage(caller, stage=stage)
        return {"deleted": True}

    def act() -> None:
        given = {"action": "delete", "stage_id": str(stage.pk)}
        submit(request, caller, name="manage_stages", model=StagesIn, given=given, run=run)

    return asked(request, question, act, "Column deleted.")


def _ask(request: HttpRequest, stage: Stage, question: Question) -> HttpResponse:
    """Ask, or say at once what stands in the way."""
    try:
        require_deletable(stage)
    except Refused as refused:
        return ask(request, replace(question, text="", button=""), refused=show_in_place(refused))
    return ask(request, question)


def _refused(request: HttpRequest, caller: Caller, stage: Stage, form: Form) -> HttpResponse:
    status = refused_status(form.refused) if form.refused else 200
    return show_board(request, caller, stage.board, used=(f"column-menu-{stage.pk}", form), status=status)
