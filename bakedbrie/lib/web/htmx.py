"""One template for the page, one for the piece of it that changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def partial_or_page(
    request: HttpRequest, partial: str, page: str, context: Mapping[str, Any], status: int = 200
) -> HttpResponse:
    """Render ``partial`` for an HTMX request and ``page`` for a browser's own; both share one context."""
    is_partial = (
        request.headers.get("HX-Request") == "true" and request.headers.get("HX-History-Restore-Request") != "true"
    )
    response = render(request, partial if is_partial else page, dict(context), status=status)
    response["Vary"] = "HX-Request"
    return response
