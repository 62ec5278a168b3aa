"""Files of a card: adding and downloading them."""

from __future__ import annotations

import hashlib

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST, require_safe
from pydantic import Field

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import Id, Input
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.downloads import download
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.uploads import take_files
from boards.access import get_card, get_file
from boards.models import Card
from boards.refusals import FILE_TOO_LARGE
from boards.services.files import Upload, add_files, open_bytes, require_upload
from workflows.web.card_page import card_after, show_card
from workspaces.caller import Caller
from workspaces.web.session import member_page
from workspaces.web.submit import submit

MOST_AT_ONCE = 20


class AddFilesIn(Input):
    """Which files a form brought: the same form again adds nothing, other files are another call."""

    card_id: Id
    file: list[str] = Field(min_length=1, max_length=MOST_AT_ONCE)


@require_safe
@member_page
def file(request: HttpRequest, caller: Caller, file_id: str) -> HttpResponseBase:
    file = get_file(caller, file_id)
    return download(open_bytes(file), name=file.name, media_type=file.media_type, length=file.bytes)


@csrf_exempt  # checked by _add: the middleware would take the whole body in before anybody asked who sends it
@require_POST
@member_page
def upload(request: HttpRequest, caller: Caller, card_id: str) -> HttpResponseBase:
    """Take files in from somebody who may add them here, and no more than a card may hold at once."""
    card = get_card(caller, card_id)
    try:
        require_upload(caller, card=card)
        if not take_files(request, max_bytes=settings.FILES_MAX_BYTES):
            raise FILE_TOO_LARGE(max_bytes=settings.FILES_MAX_BYTES)
    except Refused as refused:
        return _refused(request, caller, card, show_in_place(refused))
    return _add(request, caller, card)


@csrf_protect
def _add(request: HttpRequest, caller: Caller, card: Card) -> HttpResponseBase:
    arrived = request.FILES.getlist("file")

    def run(_: AddFilesIn) -> Answer:
        uploads = [Upload(name=one.name or "", stream=one) for one in arrived]
        return {"file_ids": [str(kept.pk) for kept in add_files(caller, card=card, uploads=uploads)]}

    try:
        given = {"card_id": str(card.pk), "file": [_digest(one) for one in arrived]}
        submit(request, caller, name="add_files", model=AddFilesIn, given=given, run=run)
    except Refused as refused:
        return _refused(request, caller, card, show_in_place(refused))
    return card_after(request, caller, card, "Files added.")


def _refused(request: HttpRequest, caller: Caller, card: Card, refused: Refused) -> HttpResponseBase:
    form = Form(refused=refused)
    return show_card(request, caller, card, forms={"file_form": form}, status=refused_status(refused))


def _digest(upload: UploadedFile) -> str:
    digest = hashlib.sha256(f"{upload.name}\n".encode())
    for chunk in upload.chunks():
        digest.update(chunk)
    upload.seek(0)
    return digest.hexdigest()
