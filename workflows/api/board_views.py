"""Archiving a board and taking it back, over REST."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.operation import Operation
from boards.access import get_board
from boards.serializers import BoardSerializer
from workflows.services.archive import archive_board, restore_board
from workspaces.api.views import CallerView


class ArchiveBoardView(CallerView):
    @Operation("Archive a board", answer={"board": BoardSerializer()})
    def post(self, request: Request, board_id: str) -> Response:
        return self.once(lambda: self._archive(board_id))

    def _archive(self, board_id: str) -> Answer:
        return {"board": BoardSerializer(archive_board(self.caller, board=get_board(self.caller, board_id))).data}


class RestoreBoardView(CallerView):
    @Operation("Take a board back from the archive", answer={"board": BoardSerializer()})
    def post(self, request: Request, board_id: str) -> Response:
        return self.once(lambda: self._restore(board_id))

    def _restore(self, board_id: str) -> Answer:
        return {"board": BoardSerializer(restore_board(self.caller, board=get_board(self.caller, board_id))).data}
