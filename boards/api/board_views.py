"""Boards over REST."""

from __future__ import annotations

from rest_framework.fields import BooleanField
from rest_framework.request import Request
from rest_framework.response import Response

from bakedbrie.lib.toolkit.inputs import parse, parse_query
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.operation import Operation, Shape
from bakedbrie.lib.web.rows import show_rows
from boards.access import get_board
from boards.inputs import EditBoardIn, ListBoardsIn
from boards.models import Board
from boards.selectors.boards import columns_of, is_shared, list_boards, members_of_board
from boards.serializers import (
    BoardMemberSerializer,
    BoardRowSerializer,
    BoardSerializer,
    ColumnSerializer,
    ShownBoardSerializer,
)
from boards.services.boards import edit_board
from workspaces.access import require_capability
from workspaces.api.views import CallerView
from workspaces.caller import Caller

_BOARD: Shape = {
    "board": ShownBoardSerializer(),
    "stages": ColumnSerializer(many=True),
    "members": BoardMemberSerializer(many=True, required=False),
    "is_shared": BooleanField(required=False),
}


def _show(caller: Caller, board: Board) -> Answer:
    """While the capability control is off a board shows what read_board shows then: its name and its columns."""
    stages = show_rows(ColumnSerializer(), columns_of(board))
    if "control" not in caller.capabilities:
        return {"board": {"id": str(board.pk), "name": board.name}, "stages": stages}
    return {
        "board": BoardSerializer(board).data,
        "stages": stages,
        "members": show_rows(BoardMemberSerializer(), members_of_board(board)),
        "is_shared": is_shared(board),
    }


class BoardsView(CallerView):
    @Operation("List boards, newest first", query=ListBoardsIn, answer={"boards": BoardRowSerializer(many=True)})
    def get(self, request: Request) -> Response:
        given = parse_query(ListBoardsIn, request.query_params.dict())
        found = list_boards(
            self.caller, include_archived=given.include_archived, cursor=given.cursor, limit=given.limit
        )
        return self.answer({"boards": show_rows(BoardRowSerializer(), found.items), "next_cursor": found.next_cursor})


class BoardView(CallerView):
    @Operation("Read a board with its columns and members", answer=_BOARD)
    def get(self, request: Request, board_id: str) -> Response:
        return self.answer(_show(self.caller, get_board(self.caller, board_id)))

    @Operation("Edit a board", body=EditBoardIn, answer=_BOARD)
    def patch(self, request: Request, board_id: str) -> Response:
        given = parse(EditBoardIn, request.data)
        if given.guidelines is not None:
            require_capability(self.caller, "api_workflow")
        return self.once(lambda: self._edit(board_id, given), body=request.data)

    def _edit(self, board_id: str, given: EditBoardIn) -> Answer:
        board = get_board(self.caller, board_id)
        return _show(self.caller, edit_board(self.caller, board=board, **given.model_dump()))


class StagesView(CallerView):
    @Operation("List the columns of a board in order", answer={"stages": ColumnSerializer(many=True)})
    def get(self, request: Request, board_id: str) -> Response:
        board = get_board(self.caller, board_id)
        return self.answer({"stages": show_rows(ColumnSerializer(), columns_of(board))})
