"""list_boards and manage_board_guidelines."""

from __future__ import annotations

from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from bakedbrie.lib.web.rows import show_rows
from boards.access import get_board
from boards.inputs import GuidelinesIn, ListBoardsIn
from boards.selectors.boards import list_boards
from boards.serializers import BoardRowSerializer
from boards.services.boards import edit_board
from workspaces.caller import Caller


def list_boards_tool(caller: Caller, given: ListBoardsIn) -> Answer:
    found = list_boards(caller, include_archived=given.include_archived, cursor=given.cursor, limit=given.limit)
    return {"boards": show_rows(BoardRowSerializer(), found.items), "next_cursor": found.next_cursor}


def manage_board_guidelines(caller: Caller, given: GuidelinesIn) -> Answer:
    board = get_board(caller, given.board_id)
    if given.action != "read":
        board = edit_board(caller, board=board, expected_revision=given.expected_revision, guidelines=given.text or "")
    return {"board_id": str(board.pk), "guidelines": board.guidelines, "revision": board.revision}


LIST_BOARDS = Tool[Caller](
    name="list_boards",
    title="List boards",
    description=(
        "Lists the boards that the owner of this token may open, newest first, with the columns of each (a column is "
        "called a stage) and how many cards each column holds. Use it to find board and stage ids."
    ),
    input=ListBoardsIn,
    handler=list_boards_tool,
    effect=Effect.READ,
    is_base=True,
)
MANAGE_BOARD_GUIDELINES = Tool[Caller](
    name="manage_board_guidelines",
    title="Read or write board guidelines",
    description=(
        "Reads (read), replaces (set, with text) or empties (clear) the guidelines of a board: up to 8,000 characters "
        "that every agent of the board is given with its work. Show the user the new text before you set it."
    ),
    input=GuidelinesIn,
    handler=manage_board_guidelines,
    effect=Effect.WRITE,
    capabilities=("api_workflow",),
    reads=frozenset({"read"}),
    is_destructive=True,
)
