"""The first page: boards, and the cards that need somebody."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from bakedbrie.lib.web.htmx import partial_or_page
from workflows.selectors.home import home_page
from workspaces.caller import Caller
from workspaces.web.session import member_page


@require_safe
@member_page
def home(request: HttpRequest, caller: Caller) -> HttpResponse:
    return partial_or_page(request, "workflows/_home.html", "workflows/home.html", {"page": home_page(caller)})
