"""The documents as pages of the site, open to everybody, with a search."""

from __future__ import annotations

from functools import cache

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from bakedbrie.lib.documents import Document, library
from bakedbrie.reference.html import render_document
from workspaces.web.session import caller_of_request

LONGEST_QUERY = 200
MOST_HITS = 30


@require_safe
def documents(request: HttpRequest) -> HttpResponse:
    """List the pages, or the places where the words of ``q`` stand."""
    query = request.GET.get("q", "").replace("\x00", "")[:LONGEST_QUERY].strip()
    hits = library().search(query, MOST_HITS) if query else []
    return _show(request, "reference/documents.html", query=query, hits=hits)


@require_safe
def document(request: HttpRequest, name: str) -> HttpResponse:
    """Show one page."""
    found = library().documents.get(name)
    if found is None:
        raise Http404
    return _show(request, "reference/document.html", document=found, html=_html(found))


def _show(request: HttpRequest, template: str, **context: object) -> HttpResponse:
    # For the frame: who is signed in finds the way back, and a stranger the way in.
    caller_of_request(request)
    return render(
        request,
        template,
        {"documents": library().documents.values(), "offers_sign_in": not request.user.is_authenticated, **context},
    )


@cache
def _html(document: Document) -> str:
    return render_document(document.text, _address)


def _address(name: str) -> str | None:
    if name in library().documents:
        return reverse("document", args=[name])
    return reverse("documents") if name == "index" else None
