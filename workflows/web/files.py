"""Files of a card: adding and downloading them."""

from __future__ import annotations

import hashlib

from django.core.files.uploadedfile import UploadedFile
from django.http import FileResponse, HttpRequest, HttpResponse
from django.views.decorators.http import require_POST, require_safe
from pydantic import Field

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import Id, Input
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from boards.access import get_card, get_file
from boards.services.files import add_file, open_bytes
from workflows.web.card_page import card_after, show_card
from workspaces.access import require_writer
from workspaces.caller import Caller
from workspaces.web.session import member_page
from workspaces.web.submit import submit


class AddFileIn(Input):
    """Which file a form brought: the same form again adds nothing, another file is another call."""

    card_id: Id
    name: str = Field(min_length=1, max_length=1_000)
    sha256: str


@require_safe
@member_page
def download(request: HttpRequest, caller: Caller, file_id: str) -> FileResponse:
    """Send the bytes as a download: nothing that somebody uploaded is ever shown as a page of ours."""
    file = get_file(caller, file_id)
    response = FileResponse(open_bytes(file), as_attachment=True, filename=file.name, content_type=file.media_type)
    response["Content-Length"] = str(file.bytes)
    return response


@require_POST
@member_page
def upload(request: HttpRequest, caller: Caller, card_id: str) -> HttpResponse:
    card = get_card(caller, card_id)
    require_writer(caller)
    file = request.FILES.get("file")
    given = {"card_id": str(card.pk), "name": (file and file.name) or "", "sha256": _digest(file) if file else ""}

    def run(given: AddFileIn) -> Answer:
        return {"file_id": str(add_file(caller, card=card, name=given.name, stream=file).pk)} if file else {}

    try:
        submit(request, caller, name="add_file", model=AddFileIn, given=given, run=run)
    except Refused as refused:
        form = Form(refused=show_in_place(refused))
        return show_card(request, caller, card, forms={"file_form": form}, status=refused_status(refused))
    return card_after(request, caller, card, "File added.")


def _digest(file: UploadedFile) -> str:
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    file.seek(0)
    return digest.hexdigest()
