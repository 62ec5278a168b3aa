"""The addresses that machines ask: answered before hosts, https and sessions are looked at.

A probe comes from this machine or this network, under whatever name, and not through the proxy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed

from bakedbrie.api import health
from bakedbrie.api.metrics import metrics
from bakedbrie.doctor import address

READS = ("GET", "HEAD")
PROBES: Mapping[str, Callable[[HttpRequest], HttpResponse]] = {
    "/health/live": health.live,
    "/health/ready": health.ready,
    "/health/work": health.work,
    "/healthz": health.ready,
    "/metrics": metrics,
    address.PATH: address.seen,
}


class ProbesMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        probe = PROBES.get(request.path_info)
        if probe is None:
            return self.get_response(request)
        response = probe(request) if request.method in READS else HttpResponseNotAllowed(READS)
        response._has_been_logged = True  # type: ignore[attr-defined]  # the access log says it, once and not as an error
        return response
