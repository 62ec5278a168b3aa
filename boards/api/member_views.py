"""Members of a board over REST.

Whoever opens the board sees them. A manager of the board changes them, in the web app or with a full_control token:
only people who are in the workspace already can be let in.
"""

from __future__ import annotations

from rest_framework.fields import BooleanField, UUIDField
from rest_framework.request import Request
from rest_framework.response import Response

from bakedbrie.lib.paging import PageInput, page
from bakedbrie.lib.toolkit.inputs import parse, parse_query
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.operation import Operation
from bakedbrie.lib.web.rows import show_rows
from boards.access import get_board, get_board_member
from boards.inputs import AddBoardMemberIn, ChangeBoardMemberIn
from boards.models import BoardMember
from boards.selectors.boards import members_of_board
from boards.serializers import BoardMemberSerializer
from boards.services.members import add_board_member, change_board_member, remove_board_member
from workspaces.access import get_member
from workspaces.api.views import CallerView

_MEMBER = {"member": BoardMemberSerializer()}


class BoardMembersView(CallerView):
    @Operation("List the members of a board", query=PageInput, answer={"members": BoardMemberSerializer(many=True)})
    def get(self, request: Request, board_id: str) -> Response:
        given = parse_query(PageInput, request.query_params.dict())
        rows = members_of_board(get_board(self.caller, board_id))
        found = page(rows, cursor=given.cursor, limit=given.limit, order=("id",))
        return self.answer(
            {"members": show_rows(BoardMemberSerializer(), found.items), "next_cursor": found.next_cursor}
        )

    @Operation("Let a member into a board", body=AddBoardMemberIn, answer=_MEMBER)
    def post(self, request: Request, board_id: str) -> Response:
        """Let a member of the workspace in. One who is in already is changed."""
        given = parse(AddBoardMemberIn, request.data)
        return self.once(lambda: self._add(board_id, given), body=request.data)

    def _add(self, board_id: str, given: AddBoardMemberIn) -> Answer:
        board, member = get_board(self.caller, board_id), get_member(self.caller, given.member_id)
        return _show(add_board_member(self.caller, board=board, member=member, is_manager=given.is_manager))


class BoardMemberView(CallerView):
    @Operation("Change a member of a board", body=ChangeBoardMemberIn, answer=_MEMBER)
    def patch(self, request: Request, board_id: str, member_id: str) -> Response:
        given = parse(ChangeBoardMemberIn, request.data)
        return self.once(lambda: self._change(board_id, member_id, given), body=request.data)

    @Operation("Take a member off a board", answer={"member_id": UUIDField(), "removed": BooleanField()})
    def delete(self, request: Request, board_id: str, member_id: str) -> Response:
        return self.once(lambda: self._remove(board_id, member_id))

    def _change(self, board_id: str, member_id: str, given: ChangeBoardMemberIn) -> Answer:
        board = get_board(self.caller, board_id)
        row = get_board_member(self.caller, board, member_id)
        return _show(change_board_member(self.caller, board=board, member=row.member, is_manager=given.is_manager))

    def _remove(self, board_id: str, member_id: str) -> Answer:
        board = get_board(self.caller, board_id)
        row = get_board_member(self.caller, board, member_id)
        remove_board_member(self.caller, board=board, member=row.member)
        return {"member_id": str(row.member_id), "removed": True}


def _show(row: BoardMember) -> Answer:
    return {"member": BoardMemberSerializer(row).data}
