"""Where an exception becomes an answer: a refusal with its code, or a 500 that tells nothing but its request id."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from math import ceil
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.views.decorators.csrf import csrf_exempt
from pydantic import ValidationError
from rest_framework import exceptions
from rest_framework.response import Response

from bakedbrie.api.refusals import BODY_TOO_LARGE, MEDIA_TYPE_UNSUPPORTED, METHOD_NOT_ALLOWED, NOT_ACCEPTABLE
from bakedbrie.lib.refusals import INTERNAL_ERROR, INVALID_INPUT, NOT_FOUND, RATE_LIMITED, Refusal, Refused
from bakedbrie.lib.toolkit.inputs import field_errors
from bakedbrie.middleware import DOOR
from connecting.addresses import challenge
from workspaces.refusals import FORBIDDEN, UNAUTHENTICATED

logger = logging.getLogger(__name__)

CHALLENGE = 'Bearer realm="BakedBrie"'

_BY_CLASS: tuple[tuple[type[Exception], Refusal], ...] = (
    (Http404, NOT_FOUND),
    (exceptions.NotFound, NOT_FOUND),
    (PermissionDenied, FORBIDDEN),
    (exceptions.NotAuthenticated, UNAUTHENTICATED),
    (exceptions.AuthenticationFailed, UNAUTHENTICATED),
    (exceptions.PermissionDenied, FORBIDDEN),
    (exceptions.MethodNotAllowed, METHOD_NOT_ALLOWED),
    (exceptions.NotAcceptable, NOT_ACCEPTABLE),
    (exceptions.UnsupportedMediaType, MEDIA_TYPE_UNSUPPORTED),
    (RequestDataTooBig, BODY_TOO_LARGE),
    (SuspiciousOperation, INVALID_INPUT),
)


def render_error(error: Exception, context: Mapping[str, Any]) -> Response:
    """DRF's exception handler."""
    request_id = request_id_of(context["request"])
    refused = refused_from(error)
    if refused is None:
        logger.error("A request failed", exc_info=error, extra={"request": request_id})
        refused = INTERNAL_ERROR()
    headers: dict[str, str] = {}
    if refused.refusal.status == 401:
        headers["WWW-Authenticate"] = _challenge(context["request"])
    if isinstance(error, exceptions.Throttled):
        headers["Retry-After"] = str(refused.details["retry_after_s"])
    if isinstance(error, exceptions.MethodNotAllowed):
        headers["Allow"] = ", ".join(context["view"].allowed_methods)
    return Response(error_body(refused, request_id), status=refused.refusal.status, headers=headers)


def _challenge(request: Any) -> str:
    """RFC 6750: whoever sent a token is told that it is wrong, whoever sent none is not.

    Over MCP, which asks from within, assistants read where they are connected (RFC 9728).
    """
    sent_one = any(name in request.headers for name in ("Authorization", "X-API-Key"))
    said = CHALLENGE + ', error="invalid_token"' if sent_one else CHALLENGE
    return f"{said}, {challenge()}" if DOOR in request.META else said


def refused_from(error: Exception) -> Refused | None:
    """Return what the exception means to the caller, or None for a bug."""
    if isinstance(error, Refused):
        return error
    if isinstance(error, ValidationError):
        return INVALID_INPUT(fields=field_errors(error))
    if isinstance(error, exceptions.ParseError):
        return INVALID_INPUT(fields={"": [str(error.detail)]})
    if isinstance(error, UnreadablePostError):
        return INVALID_INPUT(fields={"": ["The body ended before it was complete."]})
    if isinstance(error, exceptions.Throttled):
        return RATE_LIMITED(retry_after_s=max(1, ceil(getattr(error, "wait", None) or 1)))
    for known, refusal in _BY_CLASS:
        if isinstance(error, known):
            return refusal()
    return None


def error_body(refused: Refused, request_id: str) -> dict[str, object]:
    """The body of every refusal, on REST and MCP alike (W054, W061)."""
    return {"error": refused.body(), "request_id": request_id}


def request_id_of(request: object) -> str:
    """Return the call's id, for a request of Django or of DRF."""
    plain = getattr(request, "_request", request)
    return str(getattr(plain, "request_id", "-"))


@csrf_exempt
def no_discovery(request: HttpRequest) -> HttpResponse:
    """Answer MCP clients that look for an OAuth server: they stumble over anything but a 404 in JSON."""
    return JsonResponse({"error": "not_found"}, status=404)
