"""Where assistants come with a code, with a refresh token, or to give back what they have. Public clients only."""

from __future__ import annotations

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from oauth2_provider.oauth2_backends import OAuthLibCore

from connecting.web.machine import NO_STORE, for_programs, problem

ONCE = ("client_id", "grant_type", "code", "code_verifier", "redirect_uri", "refresh_token", "scope", "token")
LONGEST_FIELD = 2048
_FORM = "application/x-www-form-urlencoded"


@for_programs("POST")
def token(request: HttpRequest) -> HttpResponse:
    return _wrong_form(request) or _exchange(request)


@for_programs("POST")
def revoke(request: HttpRequest) -> HttpResponse:
    """RFC 7009: what nobody knows is answered like what was given back."""
    if wrong := _wrong_form(request):
        return wrong
    with transaction.atomic():
        _, headers, body, status = OAuthLibCore().create_revocation_response(request)
    return _passed_on(headers, body, status)


@transaction.atomic
def _exchange(request: HttpRequest) -> HttpResponse:
    """One transaction: a code or a refresh token that comes twice at once is used once."""
    _, headers, body, status = OAuthLibCore().create_token_response(request)
    return _passed_on(headers, body, status)


def _passed_on(headers: dict[str, str], body: str | None, status: int) -> HttpResponse:
    kept = {name: value for name, value in headers.items() if name == "WWW-Authenticate"}
    return HttpResponse(body or "", status=status, content_type="application/json", headers={**kept, **NO_STORE})


def _wrong_form(request: HttpRequest) -> HttpResponse | None:
    if request.content_type != _FORM:
        return problem("invalid_request", f"The body must be {_FORM}.")
    if request.META.get("QUERY_STRING"):
        return problem("invalid_request", "Nothing is taken from the address.")
    for name, values in request.POST.lists():
        if name in ONCE and len(values) > 1:
            return problem("invalid_request", f"{name} is there twice.")
        if any(len(value) > LONGEST_FIELD or "\x00" in value for value in values):
            return problem("invalid_request", "A field is too long, or holds a character that none may.")
    return None
