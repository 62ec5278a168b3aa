"""manage_stages."""

from __future__ import annotations

from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from bakedbrie.lib.web.rows import show_rows
from boards.access import get_board, get_stage
from boards.inputs import StagesIn
from boards.models import Board
from boards.selectors.boards import columns_of
from boards.serializers import ColumnSerializer
from boards.services.stages import add_stage, delete_stage, rename_stage, reorder_stages
from workspaces.caller import Caller


def manage_stages(caller: Caller, given: StagesIn) -> Answer:
    """Do one action; the answer is always the board's columns as they are afterwards."""
    if given.action in {"rename", "delete"}:
        return _show(caller, _change_stage(caller, given))
    board = get_board(caller, given.board_id)
    if given.action == "add":
        add_stage(caller, board=board, name=given.name or "", expected_revision=given.expected_revision)
    elif given.action == "reorder":
        reorder_stages(caller, board=board, stage_ids=given.stage_ids or [], expected_revision=given.expected_revision)
    return _show(caller, board)


def _change_stage(caller: Caller, given: StagesIn) -> Board:
    stage = get_stage(caller, given.stage_id)
    if given.action == "rename":
        rename_stage(caller, stage=stage, name=given.name or "", expected_revision=given.expected_revision)
    else:
        delete_stage(caller, stage=stage, expected_revision=given.expected_revision)
    return stage.board


def _show(caller: Caller, board: Board) -> Answer:
    revision = get_board(caller, board.pk).revision
    return {"board_id": str(board.pk), "revision": revision, "stages": show_rows(ColumnSerializer(), columns_of(board))}


MANAGE_STAGES = Tool[Caller](
    name="manage_stages",
    title="Manage the columns of a board",
    description=(
        "Lists (list), adds (add: just before Done), renames (rename), reorders (reorder: stage_ids names every column "
        "once, the first column first and Done last) or deletes (delete) the columns of a board; a column is called a "
        "stage. Only an empty column that nothing starts in can be deleted, never the first one or Done. Before you "
        "delete a column, name it to the user and ask them to confirm. Answers with all columns in order and "
        "the board's revision."
    ),
    input=StagesIn,
    handler=manage_stages,
    effect=Effect.WRITE,
    capabilities=("control",),
    reads=frozenset({"list"}),
    is_destructive=True,
)
