"""The outermost layer of every request: its id, its line in the log, and its place in the figures."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils import timezone

from bakedbrie import metrics
from bakedbrie.lib import ids, log_context
from bakedbrie.lib.web.errors import wrong_method
from bakedbrie.logconf import without_keys

logger = logging.getLogger("bakedbrie.access")

# Set by `bakedbrie.inprocess`: the call comes from this process, which has looked at the outside request itself.
DOOR = "bakedbrie.door"
LONGEST_PATH = 500
_PLAIN = re.compile(r"[A-Za-z0-9._:-]{1,100}")
_NO_PAGES = ("/api/", "/live/", "/health/", "/metrics")
_OFTEN = ("/live/access", "/health/", "/metrics")  # asked every few seconds by machines


def is_plain_request_id(text: str) -> bool:
    return _PLAIN.fullmatch(text) is not None


def set_request_id(request: HttpRequest, request_id: str) -> None:
    """Name the call by an id that stood in its body."""
    request.request_id = request_id  # type: ignore[attr-defined]
    log_context.bind(request_id=request_id)


class RequestIdMiddleware:
    """Sets ``request.request_id`` and the X-Request-Id header: the caller's id when it is a plain one, else a new one;
    and ``request.came_at``, in seconds since 1970, by which a page asks for the live hints that it missed.

    Writes one line for each request once it is answered, with whatever ids were bound on the way.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-Id", "")
        request_id = given if is_plain_request_id(given) else str(ids.new_id())
        request.request_id = request_id  # type: ignore[attr-defined]
        request.came_at = repr(time.time())  # type: ignore[attr-defined]  # before anything was read for the answer
        with log_context.fresh(request_id=request_id):
            begun = time.perf_counter()
            try:
                response = self.get_response(request)
            finally:
                timezone.deactivate()  # the thread's next request may be of another workspace
            seconds = time.perf_counter() - begun
            _log(request, response, seconds)
            _count(request, response, seconds)
        response["X-Request-Id"] = request.request_id  # type: ignore[attr-defined]
        return response


class CompressionMiddleware(GZipMiddleware):
    """Compresses pages, but only answers that hold nothing of what the request brought.

    Who watches how long encrypted answers are learns from a compressed one whether a guess that it reflects stands in
    it as well (BREACH). So what answers a form, or an address with a query, such as a search, goes out as it is. The
    rest gets up to a hundred random bytes, and Django masks the tokens of its forms anew each time. Static files were
    compressed when they were collected.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        is_page = not response.streaming and response.get("Content-Type", "").startswith("text/html")
        if not is_page or request.method != "GET" or request.META.get("QUERY_STRING"):
            return response
        return super().process_response(request, response)


class WrongMethodMiddleware:
    """Gives a page to who opens an address that only takes a form: views answer with an empty 405."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        is_bare = isinstance(response, HttpResponseNotAllowed) and not response.content
        if not is_bare or request.path_info.startswith(_NO_PAGES):
            return response
        page = wrong_method(request)
        page["Allow"] = response["Allow"]
        return page


def _log(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    is_routine = request.path_info.startswith(_OFTEN) and response.status_code < 500
    level = logging.DEBUG if is_routine else logging.INFO
    if not logger.isEnabledFor(level):
        return
    about = {
        "method": request.method,
        "path": without_keys(request.path[:LONGEST_PATH]),
        "status": response.status_code,
        "ms": round(seconds * 1000, 1),
        "door": request.META.get(DOOR, "web"),
    }
    logger.log(level, "Request answered", extra=about)


def _count(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    match = request.resolver_match
    metrics.count_request(
        door=str(request.META.get(DOOR, "web")),
        method=request.method or "",
        route=(match.route or "/") if match else "none",
        status=response.status_code,
        seconds=seconds,
    )
