"""Card files over REST: list, upload, download, remove."""

from __future__ import annotations

from django.http import FileResponse
from rest_framework.parsers import MultiPartParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.downloads import download
from boards.access import get_card, get_file
from boards.api.uploads import arriving_file
from boards.selectors.cards import files_of
from boards.serializers import CardFileSerializer, show_rows
from boards.services.files import add_file, open_bytes, remove_file, require_upload
from workspaces.access import require_capability
from workspaces.api.views import CallerView

MEDIA = "media"


class CardFilesView(CallerView):
    parser_classes = [MultiPartParser]

    def get(self, request: Request, card_id: str) -> Response:
        require_capability(self.caller, MEDIA)
        files = files_of(get_card(self.caller, card_id))
        return self.answer({"files": show_rows(CardFileSerializer(), files)})

    def post(self, request: Request, card_id: str) -> Response:
        """Not told by its request_id when repeated: a second upload is a second file."""
        require_capability(self.caller, MEDIA)
        card = get_card(self.caller, card_id)
        require_upload(self.caller, card=card)
        name, stream = arriving_file(request)
        file = add_file(self.caller, card=card, name=name, stream=stream)
        response = self.answer({"file": CardFileSerializer(file).data})
        response.status_code = 201
        return response


class FileView(CallerView):
    def get(self, request: Request, file_id: str) -> Response:
        require_capability(self.caller, MEDIA)
        return self.answer({"file": CardFileSerializer(get_file(self.caller, file_id)).data})

    def delete(self, request: Request, file_id: str) -> Response:
        require_capability(self.caller, MEDIA)
        return self.once(lambda: self._remove(file_id))

    def _remove(self, file_id: str) -> Answer:
        file = get_file(self.caller, file_id)
        remove_file(self.caller, file=file)
        return {"file_id": str(file.pk), "removed": True}


class FileContentView(CallerView):
    def perform_content_negotiation(self, request: Request, force: bool = False) -> tuple[BaseRenderer, str]:
        """A download is what it is, whatever the Accept header asks for."""
        return super().perform_content_negotiation(request, force=True)

    def get(self, request: Request, file_id: str) -> FileResponse:
        require_capability(self.caller, MEDIA)
        file = get_file(self.caller, file_id)
        return download(open_bytes(file), name=file.name, media_type=file.media_type, length=file.bytes)
