"""Files of a card: adding and downloading them."""

from __future__ import annotations

import hashlib

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_POST, require_safe
from pydantic import Field

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.storage import safe_name
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
LINES = "upload-lines"


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
        kept = add_files(caller, card=card, uploads=uploads)
        return {"file_ids": [str(one.pk) for one in kept], "names": [one.name for one in kept]}

    try:
        given = {"card_id": str(card.pk), "file": [_digest(one) for one in arrived]}
        answer = submit(request, caller, name="add_files", model=AddFilesIn, given=given, run=run)
    except Refused as refused:
        return _refused(request, caller, card, show_in_place(refused))
    names = list(zip([safe_name(one.name or "") for one in arrived], answer["names"], strict=True))
    if _is_for_a_line(request):
        return render(request, "workflows/_upload_line.html", {"names": names})
    return card_after(request, caller, card, " ".join(["Files added.", *(_renamed(*both) for both in names)]).strip())


def _renamed(sent: str, kept: str) -> str:
    return f"“{sent}” is kept as “{kept}”: the card holds one of that name." if sent != kept else ""


def _is_for_a_line(request: HttpRequest) -> bool:
    """Return whether the page sends files one by one, and shows what became of each."""
    return request.headers.get("HX-Target") == LINES


def _refused(request: HttpRequest, caller: Caller, card: Card, refused: Refused) -> HttpResponseBase:
    if _is_for_a_line(request):
        return render(request, "workflows/_upload_line.html", {"refused": refused}, status=refused_status(refused))
    form = Form(refused=refused)
    return show_card(request, caller, card, forms={"file_form": form}, status=refused_status(refused))


def _digest(upload: UploadedFile) -> str:
    digest = hashlib.sha256(f"{upload.name}\n".encode())
    for chunk in upload.chunks():
        digest.update(chunk)
    upload.seek(0)
    return digest.hexdigest()
