"""Downloads by a signed link."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.web.downloads import download
from bakedbrie.lib.web.errors import error_page
from boards.contents import open_for_reader
from boards.services.file_links import open_link


@require_safe
def download_by_link(request: HttpRequest, signed: str) -> HttpResponseBase:
    response: HttpResponseBase
    try:
        found = open_link(signed)
        response = download(open_for_reader(found), name=found.name, media_type=found.media_type, length=found.bytes)
    except Refused as refused:
        response = error_page(request, refused)
    response["Referrer-Policy"] = "no-referrer"
    response["Cache-Control"] = "private, no-store"
    return response
