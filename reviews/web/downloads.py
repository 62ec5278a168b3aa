"""Downloads of files in a hosted work folder, by a signed link alone."""

from __future__ import annotations

import logging

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from bakedbrie.lib import storage
from bakedbrie.lib.refusals import NOT_FOUND, Refused
from bakedbrie.lib.web.downloads import download
from bakedbrie.lib.web.errors import error_page
from reviews.models import FolderFile
from reviews.services.file_links import open_link

logger = logging.getLogger(__name__)


@require_safe
def download_by_link(request: HttpRequest, signed: str) -> HttpResponseBase:
    response: HttpResponseBase
    try:
        response = _answer(open_link(signed))
    except Refused as refused:
        response = error_page(request, refused)
    response["Referrer-Policy"] = "no-referrer"
    response["Cache-Control"] = "private, no-store"
    return response


def _answer(file: FolderFile) -> HttpResponseBase:
    try:
        stream = storage.open_file(file.key)
    except FileNotFoundError:
        logger.warning("The bytes of a file in a work folder are gone", extra={"file": file.pk})
        raise NOT_FOUND() from None
    return download(stream, name=file.name, media_type=file.media_type, length=file.bytes)
