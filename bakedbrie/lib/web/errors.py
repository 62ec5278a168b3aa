"""Error pages: what happened, the request id, and what to do about it.

Paths of the API answer with JSON here too, for what never reached a view.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
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
    fix="Copy what you typed, reload the page, then send it again. Cookies must be allowed.",
)
PAGE_METHOD = Refusal(
    "PAGE_METHOD",
    405,
    "This address is no page to open.",
    fix="It takes a form: go back to the page that has it and use the button there.",
)
PAGE_TOO_LARGE = Refusal(
    "PAGE_TOO_LARGE",
    413,
    "That was more than can be sent at once.",
    fix="Go back: what you typed is still there. Shorten it, or attach it to the card as a file.",
)
UNAVAILABLE = Refusal(
    "UNAVAILABLE",
    503,
    "BakedBrie cannot reach its database for the moment.",
    fix="Try again in a minute: what you sent was not saved, or counts once. If it stays so, tell the operator.",
    retryable=True,
)

_NAMES_USER = (403, 404, 405)
_TRY_AGAIN_S = 10

REFUSALS = (BAD_REQUEST, PAGE_FORBIDDEN, FORM_EXPIRED, PAGE_METHOD, PAGE_TOO_LARGE, UNAVAILABLE)


def error_page(
    request: HttpRequest, refused: Refused, status: int = 0, *, more: Mapping[str, object] | None = None
) -> HttpResponse:
    """Answer with JSON under /api/, with a notice for HTMX, and with a page otherwise. ``more`` is for its template."""
    response = _error(request, refused, status or refused.refusal.status, more or {})
    if "retry_after_s" in refused.details:
        response["Retry-After"] = str(refused.details["retry_after_s"])
    return response


def _error(request: HttpRequest, refused: Refused, status: int, more: Mapping[str, object]) -> HttpResponse:
    request_id = getattr(request, "request_id", "")
    if request.path_info.startswith("/api/"):
        return JsonResponse({"error": refused.body(), "request_id": request_id}, status=status)
    names_user = status in _NAMES_USER  # other errors may come from where nobody can be looked up
    context = {
        **more,
        "refused": refused,
        "status": status,
        "request_id": request_id,
        "names_user": names_user,
        "may_try_again": request.method == "GET" and (status == 429 or status >= 500),
    }
    if request.headers.get("HX-Request") != "true":
        return render(request, "errors/error_page.html", context, status=status)
    response = render(request, "errors/_error.html", context, status=status)
    response["HX-Retarget"] = "#notices"
    response["HX-Reswap"] = "innerHTML"
    return response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_page(request, PAGE_TOO_LARGE() if isinstance(exception, RequestDataTooBig) else BAD_REQUEST())


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_page(request, PAGE_FORBIDDEN())


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_page(request, NOT_FOUND())


def wrong_method(request: HttpRequest) -> HttpResponse:
    return error_page(request, PAGE_METHOD())


def server_error(request: HttpRequest) -> HttpResponse:
    """Tell a database that is away from a bug of ours. Django calls this while it handles the exception."""
    if isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        return error_page(request, UNAVAILABLE(retry_after_s=_TRY_AGAIN_S))
    return error_page(request, INTERNAL_ERROR())


def form_expired(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a failed check of the form's token (Django's CSRF_FAILURE_VIEW). A body that is too large was not read."""
    announced = request.META.get("CONTENT_LENGTH") or ""
    most = max(settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0, settings.FILES_MAX_BYTES)
    if announced.isdecimal() and int(announced) > most:
        return error_page(request, PAGE_TOO_LARGE())
    return error_page(request, FORM_EXPIRED())
