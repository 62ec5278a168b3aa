"""Error pages: what happened, the request id, and what to do about it.

Paths of the API answer with JSON here too, for what never reached a view.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from bakedbrie.lib.refusals import INTERNAL_ERROR, NOT_FOUND, Refusal, Refused

BAD_REQUEST = Refusal(
    "BAD_REQUEST", 400, "This request could not be understood.", fix="Go back, reload the page and try again."
)
PAGE_FORBIDDEN = Refusal(
    "PAGE_FORBIDDEN", 403, "You may not open this page.", fix="Sign in with another account, or ask for access."
)
FORM_EXPIRED = Refusal(
    "FORM_EXPIRED",
    403,
    "This form is too old, or it was sent from another site.",
    fix="Reload the page, then send it again. Cookies must be allowed.",
)

_NAMES_USER = (403, 404)

REFUSALS = (BAD_REQUEST, PAGE_FORBIDDEN, FORM_EXPIRED)


def error_page(request: HttpRequest, refused: Refused, status: int = 0) -> HttpResponse:
    """Answer with JSON under /api/, with a notice for HTMX, and with a page otherwise."""
    status = status or refused.refusal.status
    request_id = getattr(request, "request_id", "")
    if request.path_info.startswith("/api/"):
        return JsonResponse({"error": refused.body(), "request_id": request_id}, status=status)
    names_user = status in _NAMES_USER  # other errors may come from where nobody can be looked up
    context = {"refused": refused, "status": status, "request_id": request_id, "names_user": names_user}
    if request.headers.get("HX-Request") != "true":
        return render(request, "errors/error_page.html", context, status=status)
    response = render(request, "errors/_error.html", context, status=status)
    response["HX-Retarget"] = "#notices"
    response["HX-Reswap"] = "innerHTML"
    return response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_page(request, BAD_REQUEST())


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_page(request, PAGE_FORBIDDEN())


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_page(request, NOT_FOUND())


def server_error(request: HttpRequest) -> HttpResponse:
    return error_page(request, INTERNAL_ERROR())


def form_expired(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a failed check of the form's token (Django's CSRF_FAILURE_VIEW)."""
    return error_page(request, FORM_EXPIRED())
