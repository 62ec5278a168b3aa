"""Card files over REST: list, upload, download, remove."""

from __future__ import annotations

from django.http import FileResponse
from rest_framework.fields import BooleanField, DateTimeField, URLField, UUIDField
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.downloads import download
from bakedbrie.lib.web.operation import Operation
from bakedbrie.lib.web.rows import show_rows
from boards.access import get_card, get_file
from boards.api.uploads import WholeForm, arriving_file
from boards.inputs import UploadIn
from boards.selectors.cards import files_of
from boards.serializers import CardFileSerializer
from boards.services.file_links import make_link
from boards.services.files import Arrived, Upload, arrived, open_bytes, remove_file, require_upload
from workspaces.api.views import CallerView


def _link(here: Arrived) -> Answer:
    return {"file": CardFileSerializer(here.link()[0]).data}


class CardFilesView(CallerView):
    parser_classes = [WholeForm]

    @Operation("List a card's files", answer={"files": CardFileSerializer(many=True)})
    def get(self, request: Request, card_id: str) -> Response:
        files = files_of(self.caller, get_card(self.caller, card_id))
        return self.answer({"files": show_rows(CardFileSerializer(), files)})

    @Operation(
        "Upload a file",
        query=UploadIn,
        takes=("application/octet-stream", "multipart/form-data"),
        answer={"file": CardFileSerializer()},
        status=201,
    )
    def post(self, request: Request, card_id: str) -> Response:
        """Take a file in. Repeated with its request_id and the same bytes it adds nothing; other bytes are refused."""
        card = get_card(self.caller, card_id)
        require_upload(self.caller, card=card)
        name, stream = arriving_file(request)
        with arrived(self.caller, card=card, uploads=[Upload(name=name, stream=stream)]) as here:
            response = self.once(lambda: _link(here), body=here.told)
        response.status_code = 201
        return response


class FileView(CallerView):
    @Operation("Read about a file", answer={"file": CardFileSerializer()})
    def get(self, request: Request, file_id: str) -> Response:
        return self.answer({"file": CardFileSerializer(get_file(self.caller, file_id)).data})

    @Operation("Remove a file", answer={"file_id": UUIDField(), "removed": BooleanField()})
    def delete(self, request: Request, file_id: str) -> Response:
        return self.once(lambda: self._remove(file_id))

    def _remove(self, file_id: str) -> Answer:
        file = get_file(self.caller, file_id)
        remove_file(self.caller, file=file)
        return {"file_id": str(file.pk), "removed": True}


class FileLinkView(CallerView):
    """Makes an address that needs no token for a few minutes, for a browser or a program that fetches one file.

    It reads: nothing is written, and a repetition makes another address.
    """

    @Operation("Make a download link", answer={"url": URLField(), "expires_at": DateTimeField()})
    def post(self, request: Request, file_id: str) -> Response:
        link = make_link(self.caller, file=get_file(self.caller, file_id))
        return self.answer({"url": link.url, "expires_at": link.expires_at})


class FileContentView(CallerView):
    def perform_content_negotiation(self, request: Request, force: bool = False) -> tuple[BaseRenderer, str]:
        """A download is what it is, whatever the Accept header asks for."""
        return super().perform_content_negotiation(request, force=True)

    @Operation("Download a file", is_download=True)
    def get(self, request: Request, file_id: str) -> FileResponse:
        file = get_file(self.caller, file_id)
        return download(open_bytes(file), name=file.name, media_type=file.media_type, length=file.bytes)
