"""The search over all cards that one may open."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import parse_query
from bakedbrie.lib.web.forms import refused_status, show_in_place
from boards.inputs import SearchCardsIn
from boards.selectors.search import excerpt, search_cards, words_of
from workspaces.caller import Caller
from workspaces.web.session import member_page


@require_safe
@member_page
def search(request: HttpRequest, caller: Caller) -> HttpResponse:
    """Show the newest cards that hold the words of ``q``."""
    asked = {name: request.GET[name] for name in ("q", "cursor") if name in request.GET}
    context: dict[str, object] = {"query": asked.get("q", "").strip(), "list_url": reverse("search")}
    try:
        given = parse_query(SearchCardsIn, {"limit": "25", **asked})
        found = search_cards(caller, given)
    except Refused as refused:
        context["refused"] = show_in_place(refused)
        return render(request, "workflows/search_page.html", context, status=refused_status(refused))
    words = words_of(given.q)
    context |= {
        "hits": [(card, excerpt(card, words)) for card in found.items],
        "next_cursor": found.next_cursor,
        "is_first": given.cursor is None,
        "kept": urlencode({"q": given.q}),
    }
    return render(request, "workflows/search_page.html", context)
