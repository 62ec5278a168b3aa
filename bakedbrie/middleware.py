"""The request id: taken from the caller when it is a plain one, made otherwise, in every answer and log line."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from bakedbrie.lib import ids
from bakedbrie.logconf import request_id_var

_PLAIN = re.compile(r"[A-Za-z0-9._:-]{1,100}")


def is_plain_request_id(text: str) -> bool:
    return _PLAIN.fullmatch(text) is not None


def set_request_id(request: HttpRequest, request_id: str) -> None:
    """Name the call by an id that stood in its body."""
    request.request_id = request_id  # type: ignore[attr-defined]
    request_id_var.set(request_id)


class RequestIdMiddleware:
    """Sets ``request.request_id`` and the X-Request-Id header."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-Id", "")
        request_id = given if is_plain_request_id(given) else str(ids.new_id())
        request.request_id = request_id  # type: ignore[attr-defined]
        token = request_id_var.set(request_id)
        try:
            response = self.get_response(request)
        finally:
            request_id_var.reset(token)
        response["X-Request-Id"] = request.request_id  # type: ignore[attr-defined]
        return response
