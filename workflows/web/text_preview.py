"""Markdown that somebody is writing, as it will look; nothing of it is kept."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import Input, parse
from bakedbrie.lib.web.forms import refused_status, show_in_place
from bakedbrie.lib.web.htmx import partial_or_page
from boards.inputs import Brief
from workspaces.caller import Caller
from workspaces.web.session import member_page

_FIELDS = ("brief", "text")


class PreviewTextIn(Input):
    text: Brief


@require_POST
@member_page
def preview(request: HttpRequest, caller: Caller) -> HttpResponse:
    """Show the text of whichever form asks, under the form; without scripts, in a tab of its own."""
    typed = next((request.POST[name] for name in _FIELDS if name in request.POST), "")
    context: dict[str, object] = {}
    status = 200
    try:
        context["text"] = parse(PreviewTextIn, {"text": typed}).text
    except Refused as refused:
        context["refused"], status = show_in_place(refused), refused_status(refused)
    return partial_or_page(request, "workflows/_text_preview.html", "workflows/text_preview_page.html", context, status)
