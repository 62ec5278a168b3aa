"""What the addresses for programs share: JSON in the words of RFC 6749, open to every origin, and shut while MCP is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.http import HttpRequest, HttpResponse, JsonResponse, UnreadablePostError
from django.views.decorators.csrf import csrf_exempt

from connecting.refusals import ASSISTANT_REQUEST_WRONG

Door = Callable[[HttpRequest], HttpResponse]

LARGEST_BODY = 32 * 1024
NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}


def for_programs(*methods: str) -> Callable[[Door], Door]:
    """Open a door to programs: no cookie is read, so that any origin may ask, and no form token is needed."""

    def opened(door: Door) -> Door:
        @csrf_exempt
        @wraps(door)
        def view(request: HttpRequest) -> HttpResponse:
            response = _answer(door, request, methods) if settings.MCP_ENABLED else nothing_here()
            response["Access-Control-Allow-Origin"] = "*"
            return response

        return view

    return opened


def problem(error: str, description: str, status: int = 400, headers: Mapping[str, str] | None = None) -> JsonResponse:
    body = {"error": error, "error_description": description}
    return JsonResponse(body, status=status, headers={**NO_STORE, **(headers or {})})


def nothing_here() -> JsonResponse:
    return JsonResponse({"error": "not_found"}, status=404)


def _answer(door: Door, request: HttpRequest, methods: tuple[str, ...]) -> HttpResponse:
    if request.method == "OPTIONS":
        return HttpResponse(status=204, headers=_preflight(methods))
    if request.method not in methods:
        return problem("invalid_request", f"Send {' or '.join(methods)}.", 405, {"Allow": ", ".join(methods)})
    try:
        if len(request.body) > LARGEST_BODY:
            return problem("invalid_request", "The request is too large.", 413)
        return door(request)
    except RequestDataTooBig:
        return problem("invalid_request", "The request is too large.", 413)
    except (SuspiciousOperation, UnreadablePostError, UnicodeError):
        return problem("invalid_request", ASSISTANT_REQUEST_WRONG.message)


def _preflight(methods: tuple[str, ...]) -> dict[str, str]:
    return {
        "Access-Control-Allow-Methods": ", ".join((*methods, "OPTIONS")),
        "Access-Control-Allow-Headers": "Content-Type, Authorization, MCP-Protocol-Version",
        "Access-Control-Max-Age": "3600",
    }
