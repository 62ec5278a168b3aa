"""Choosing the theme and the shortcuts: for everybody, signed in or not, and kept by the browser alone."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST

from bakedbrie.lib.web.errors import BAD_REQUEST, error_page
from bakedbrie.lib.web.htmx import is_htmx
from bakedbrie.lib.web.preferences import CHOICES, remember
from workspaces.web.session import safe_next


@require_POST
def preferences(request: HttpRequest) -> HttpResponse:
    """Remember what the form says. A page with scripts shows it at once and waits for nothing."""
    given = {name: request.POST[name] for name in CHOICES if name in request.POST}
    if not given or any(choice not in CHOICES[name] for name, choice in given.items()):
        return error_page(request, BAD_REQUEST())
    back = safe_next(request, request.headers.get("Referer", ""))
    response = HttpResponse(status=204) if is_htmx(request) else HttpResponseRedirect(back)
    for name, choice in given.items():
        remember(response, name, choice)
    return response
