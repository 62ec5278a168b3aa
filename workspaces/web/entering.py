"""What every way of signing in shares: where a try comes from, the second step, and what the browser is left with."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from bakedbrie.lib import clock
from bakedbrie.lib.refusals import Refused
from workspaces.models import User
from workspaces.selectors import active_user
from workspaces.services.passwords import Origin, know_browser
from workspaces.services.second_step import is_on
from workspaces.services.sessions import note_session

_KNOWN = "known"
_KNOWN_FOR = timedelta(days=365)
_MODEL_BACKEND = "django.contrib.auth.backends.ModelBackend"
_PENDING, _PENDING_FOR_S = "signing_in", 600
_PROVED, _PROVED_FOR_S = "proved_at", 900


def origin_of(request: HttpRequest) -> Origin:
    """Return where a request comes from. Behind a proxy the last address in X-Forwarded-For is the one it saw."""
    ip = request.META.get("REMOTE_ADDR", "")
    if settings.BEHIND_PROXY:
        ip = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip() or ip
    return Origin(ip=ip, browser=request.COOKIES.get(_KNOWN, ""))


def arrive(request: HttpRequest, user: User, next_url: str) -> HttpResponse:
    """Sign in who passed the first step, or ask for the second one where the person has it."""
    if not is_on(user):
        return enter(request, user, HttpResponseRedirect(next_url))
    request.session[_PENDING] = {
        "user": str(user.pk),
        "of": user.get_session_auth_hash(),
        "at": clock.now().timestamp(),
        "next": next_url,
    }
    return HttpResponseRedirect(reverse("sign-in-code"))


def pending(request: HttpRequest) -> tuple[User, str] | None:
    """Return who passed the first step in this browser within the last minutes, and where they want to go."""
    kept = request.session.get(_PENDING)
    if kept is None or clock.now().timestamp() - kept["at"] > _PENDING_FOR_S:
        return None
    user = active_user(kept["user"])
    if user is None or user.get_session_auth_hash() != kept["of"]:
        return None
    return user, kept["next"]


def enter(request: HttpRequest, user: User, response: HttpResponse) -> HttpResponse:
    """Sign the person in, and let the browser show later that they were here."""
    request.session.pop(_PENDING, None)
    login(request, user, backend=_MODEL_BACKEND)
    prove(request)
    if not request.session.session_key:
        request.session.save()
    agent = request.headers.get("User-Agent", "")
    note_session(user, key=request.session.session_key or "", ip=origin_of(request).ip, agent=agent)
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


def prove(request: HttpRequest) -> None:
    """Remember that the person of this session has just shown who they are."""
    request.session[_PROVED] = clock.now().timestamp()


def is_proved(request: HttpRequest) -> bool:
    """Return whether they did so within the last quarter of an hour."""
    return bool(clock.now().timestamp() - request.session.get(_PROVED, 0) < _PROVED_FOR_S)


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
