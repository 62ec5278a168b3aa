"""One template for the page, one for the piece of it that changes; and what is told to scripts beside the content."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render


def is_htmx(request: HttpRequest) -> bool:
    """Return whether a piece is asked for, and not a page by a browser that walks its history."""
    headers = request.headers
    return headers.get("HX-Request") == "true" and headers.get("HX-History-Restore-Request") != "true"


def query_of_page(request: HttpRequest) -> dict[str, str]:
    """Return the query of the page that asks for a piece. A browser tells its address; what is none tells nothing."""
    try:
        return dict(parse_qsl(urlsplit(request.headers.get("HX-Current-URL", "")).query))
    except ValueError:
        return {}


def partial_or_page(
    request: HttpRequest, partial: str, page: str, context: Mapping[str, Any], status: int = 200
) -> HttpResponse:
    """Render ``partial`` for an HTMX request and ``page`` for a browser's own; both share one context."""
    response = render(request, partial if is_htmx(request) else page, dict(context), status=status)
    response["Vary"] = "HX-Request"
    return response


def say(response: HttpResponse, text: str) -> HttpResponse:
    """Have a screen reader say ``text`` when the answer arrives."""
    response["HX-Trigger"] = json.dumps({"bakedbrie:said": text})
    return response


def go_to(request: HttpRequest, url: str) -> HttpResponse:
    """Lead to another page of this site; HTMX is told to take the whole window there."""
    if not is_htmx(request):
        return HttpResponseRedirect(url)
    response = HttpResponse(status=204)
    response["HX-Redirect"] = url
    return response


def changed(text: str) -> HttpResponse:
    """Answer with nothing but the news that something changed: the page closes its dialog and fetches its piece."""
    response = HttpResponse(status=204)
    response["HX-Trigger"] = json.dumps({"bakedbrie:changed": {"said": text}})
    return response
