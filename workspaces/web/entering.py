"""What every way of signing in shares: where a try comes from, and what the browser is left with."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse

from bakedbrie.lib.refusals import Refused
from workspaces.models import User
from workspaces.services.passwords import Origin, know_browser

_KNOWN = "known"
_KNOWN_FOR = timedelta(days=365)
_MODEL_BACKEND = "django.contrib.auth.backends.ModelBackend"


def origin_of(request: HttpRequest) -> Origin:
    """Return where a request comes from. Behind a proxy the last address in X-Forwarded-For is the one it saw."""
    ip = request.META.get("REMOTE_ADDR", "")
    if settings.BEHIND_PROXY:
        ip = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip() or ip
    return Origin(ip=ip, browser=request.COOKIES.get(_KNOWN, ""))


def enter(request: HttpRequest, user: User, response: HttpResponse) -> HttpResponse:
    """Sign the person in, and let the browser show later that they were here."""
    login(request, user, backend=_MODEL_BACKEND)
    response.set_cookie(
        _KNOWN,
        know_browser(user),
        max_age=_KNOWN_FOR,
        path=settings.SESSION_COOKIE_PATH,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


def with_wait(response: HttpResponse, refused: Refused) -> HttpResponse:
    """Say when to come back, where a refusal knows it."""
    if "retry_after_s" in refused.details:
        response["Retry-After"] = str(refused.details["retry_after_s"])
    return response


def hiding_its_path(response: HttpResponse) -> HttpResponse:
    """The address of such a page is a key until it is used. No stricter: without a referrer at all, browsers send the
    form with an origin of null, which the check against forged forms refuses."""
    response["Referrer-Policy"] = "strict-origin"
    return response
