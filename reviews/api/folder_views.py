"""Work folders and their files over REST."""

from __future__ import annotations

from rest_framework.fields import DateTimeField, URLField
from rest_framework.request import Request
from rest_framework.response import Response

from bakedbrie.lib.paging import page
from bakedbrie.lib.toolkit.inputs import parse, parse_query
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.operation import Operation, Shape
from bakedbrie.lib.web.rows import show_rows
from boards.access import get_board
from reviews.access import find_folder, get_hosted_file
from reviews.inputs import FolderFilesIn, WorkFolderIn
from reviews.selectors.folders import files_in
from reviews.serializers import FolderFileSerializer, WorkFolderSerializer
from reviews.services.file_links import make_link
from reviews.services.folders import plan_from, set_work_folder
from workspaces.access import require_capability
from workspaces.api.views import CallerView

_FOLDER: Shape = {"work_folder": WorkFolderSerializer(allow_null=True)}


class WorkFolderView(CallerView):
    @Operation("Read the work folder of a board; null where none is set", answer=_FOLDER)
    def get(self, request: Request, board_id: str) -> Response:
        require_capability(self.caller, "reviews")
        folder = find_folder(get_board(self.caller, board_id))
        return self.answer({"work_folder": WorkFolderSerializer(folder).data if folder else None})

    @Operation("Set the work folder of a board", body=WorkFolderIn, answer=_FOLDER)
    def put(self, request: Request, board_id: str) -> Response:
        given = parse(WorkFolderIn, request.data)
        return self.once(lambda: self._set(board_id, given), body=given.model_dump())

    def _set(self, board_id: str, given: WorkFolderIn) -> Answer:
        require_capability(self.caller, "reviews")
        board = get_board(self.caller, board_id)
        plan = plan_from(self.caller, board=board, given=given)
        folder = set_work_folder(self.caller, board=board, plan=plan, confirm=given.confirm or False)
        return {"work_folder": WorkFolderSerializer(folder).data}


class FolderFilesView(CallerView):
    @Operation(
        "List the files in a board's work folder, newest first",
        query=FolderFilesIn,
        answer={"files": FolderFileSerializer(many=True)},
    )
    def get(self, request: Request, board_id: str) -> Response:
        given = parse_query(FolderFilesIn, request.query_params.dict())
        require_capability(self.caller, "reviews")
        files = files_in(get_board(self.caller, board_id), area=given.folder)
        found = page(files, cursor=given.cursor, limit=given.limit, order=("-id",))
        return self.answer({"files": show_rows(FolderFileSerializer(), found.items), "next_cursor": found.next_cursor})


class FolderFileLinkView(CallerView):
    """Makes an address that needs no token for a few minutes. It reads: nothing is written."""

    @Operation(
        "Make a download link for a file in BakedBrie storage",
        answer={"url": URLField(), "expires_at": DateTimeField()},
    )
    def post(self, request: Request, file_id: str) -> Response:
        link = make_link(self.caller, file=get_hosted_file(self.caller, file_id))
        return self.answer({"url": link.url, "expires_at": link.expires_at})
