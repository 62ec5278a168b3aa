"""Django's WSGI handler called from the event loop, without a socket, on a few threads that keep their connection."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from math import inf
from time import monotonic
from typing import Any
from urllib.parse import unquote_to_bytes

from django.core.handlers.wsgi import WSGIHandler, WSGIRequest, get_script_name
from django.db import close_old_connections, connections
from django.urls import set_script_prefix

from bakedbrie.mcpserver.door import Answer
from bakedbrie.middleware import DOOR

CLOSE_WITHIN_S = 5
TRUSTED_FOR_S = 1.0
NONE: Mapping[str, Any] = {}


class Full(Exception):
    """Every thread is busy, and nothing may wait."""


class InProcess:
    """Calls views with all their middleware; every other way into the pool would skip some of it.

    A call that has begun is done to its end, also when nobody waits for it any more. With ``may_wait`` off there is no
    queue: `Full` is raised instead.
    """

    def __init__(self, handler: WSGIHandler, *, threads: int, scheme: str, may_wait: bool = True) -> None:
        self._handler = handler
        self._threads = threads
        self._scheme = scheme
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="inprocess")
        self._kept = threading.local()
        self._free = None if may_wait else threading.BoundedSemaphore(threads)

    async def call(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes = b"", *, marks: Mapping[str, Any] = NONE
    ) -> Answer:
        """``marks`` are put into the request's META, where no header of a caller can stand."""
        if self._free is not None and not self._free.acquire(blocking=False):
            raise Full
        work = self._pool.submit(self._run, {**self._environ(method, path, headers, body), **marks})
        if self._free is not None:
            work.add_done_callback(self._set_free)
        return await asyncio.wrap_future(work)

    def _set_free(self, _: object) -> None:
        if self._free is not None:
            self._free.release()

    def close(self) -> None:
        close_pool(self._pool, self._threads)

    def _run(self, environ: dict[str, Any]) -> Answer:
        set_script_prefix(get_script_name(environ))
        self._look_after_connections()
        response = self._handler.get_response(WSGIRequest(environ))
        try:
            body = b"".join(response)
        finally:
            response.close()  # tells Django that the request is over
        self._kept.used_at = monotonic()
        headers = {name.lower(): value for name, value in response.items()}
        return Answer(status=response.status_code, headers=headers, body=body)

    def _look_after_connections(self) -> None:
        """Do what Django does when a request begins, but trust a connection that worked a moment ago."""
        close_old_connections()
        if monotonic() - getattr(self._kept, "used_at", -inf) < TRUSTED_FOR_S:
            for connection in connections.all(initialized_only=True):
                connection.health_check_done = True  # type: ignore[attr-defined]  # missing in the stubs

    def _environ(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
        route, _, query = path.partition("?")
        environ = {
            "REQUEST_METHOD": method,
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote_to_bytes(route).decode("latin-1"),
            "QUERY_STRING": query,
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "443" if self._scheme == "https" else "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "CONTENT_LENGTH": str(len(body)),
            DOOR: "inside",
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": self._scheme,
            "wsgi.input": BytesIO(body),
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": True,
            "wsgi.run_once": False,
        }
        for name, value in headers.items():
            key = name.upper().replace("-", "_")
            environ[key if key == "CONTENT_TYPE" else f"HTTP_{key}"] = value
        return environ


def close_pool(pool: ThreadPoolExecutor, threads: int) -> None:
    """Close the database connection of every thread and end the pool; a busy thread is waited for."""
    together = threading.Barrier(threads)

    def close_own() -> None:
        connections.close_all()
        try:
            together.wait(CLOSE_WITHIN_S)  # so that no thread takes two of these
        except threading.BrokenBarrierError:
            return

    for _ in range(threads):
        pool.submit(close_own)
    pool.shutdown(wait=True)
