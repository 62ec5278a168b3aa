"""Whether a signed-in person may follow a board live; /events asks this through the pages' own session."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from bakedbrie.lib.refusals import Refused
from boards.access import get_board
from workspaces.web.session import caller_of_request


@require_GET
def live_access(request: HttpRequest) -> HttpResponse:
    caller = caller_of_request(request)
    if caller is None:
        return HttpResponse(status=404)
    try:
        get_board(caller, request.GET.get("board", ""))
    except Refused:
        return HttpResponse(status=404)
    return HttpResponse(status=204)
