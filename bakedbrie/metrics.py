"""Figures that each process counts for itself, in files that all processes of one machine share.

What is the same whoever asks (turns, queues, signs of life) is read when somebody asks: `bakedbrie.api.metrics`.
Counting never harms what is counted: without the folder, nothing is counted.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from time import perf_counter

from django.conf import settings
from prometheus_client import Counter, Histogram, values

logger = logging.getLogger(__name__)

# The library chooses this from the environment while it is imported, which in a worker others do before our settings.
values.ValueClass = values.MultiProcessValue()  # type: ignore[no-untyped-call]  # it has no types

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_REQUEST_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_JOB_S = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0)

_requests = Counter(
    "bakedbrie_http_requests", "Requests that were answered.", ["door", "method", "route", "status"], registry=None
)
_request_seconds = Histogram(
    "bakedbrie_http_request_seconds",
    "How long requests took until their answer began.",
    ["door", "route"],
    buckets=_REQUEST_S,
    registry=None,
)
_jobs = Counter("bakedbrie_jobs", "Jobs that a worker came to the end of.", ["job", "result"], registry=None)
_job_seconds = Histogram("bakedbrie_job_seconds", "How long jobs took.", ["job"], buckets=_JOB_S, registry=None)


def count_request(*, door: str, method: str, route: str, status: int, seconds: float) -> None:
    """``route`` is the pattern of the address, never the address: one figure per page, not one per card."""
    if is_counting():
        method = method if method in METHODS else "other"
        _requests.labels(door, method, route, str(status)).inc()
        _request_seconds.labels(door, route).observe(seconds)


@contextmanager
def counted_job(name: str) -> Iterator[None]:
    begun, result = perf_counter(), "failed"
    try:
        yield
        result = "done"
    finally:
        if is_counting():
            _jobs.labels(name, result).inc()
            _job_seconds.labels(name).observe(perf_counter() - begun)


@lru_cache(maxsize=1)
def is_counting() -> bool:
    """Make the folder, once per process; tell whether it can be written to."""
    folder = Path(settings.METRICS_DIR)
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if os.access(folder, os.W_OK | os.X_OK):
        return True
    logger.warning("Nothing is counted: METRICS_DIR cannot be written to", extra={"folder": str(folder)})
    return False
