"""One address: /mcp and /events natively, everything else through Django's WSGI handler on a few long-lived threads."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from types import FrameType
from typing import Any
from urllib.parse import quote, urlsplit

from a2wsgi import WSGIMiddleware

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bakedbrie.settings")

from django.conf import settings

import bakedbrie.wsgi  # before the others: it sets Django up
from bakedbrie.api.catalog import TOOLS
from bakedbrie.api.throttles import IS_FULL
from bakedbrie.base_path import below
from bakedbrie.bodies import WholeBodies
from bakedbrie.inprocess import Full, InProcess, close_pool
from bakedbrie.lib.toolkit.tool import Effect
from bakedbrie.live import LiveApp
from bakedbrie.mcpserver.app import McpApp
from bakedbrie.mcpserver.door import Answer
from bakedbrie.version import VERSION

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

# A provider that hangs holds a thread for twenty seconds, so that calls which ask one have threads of their own.
SENDING = frozenset(f"/api/v1/tools/{tool.name}" for tool in TOOLS.values() if tool.effect is Effect.SEND)
SENDING_PAGES = re.compile(
    r"/settings/accounts/(?:new|[^/]+/check)/|/settings/destinations/(?:new|[^/]+/(?:check|edit))/|/oauth/authorize/"
    r"|/reviews/[^/]+/(?:alike/)?|/api/v1/reviews/[^/]+/decision"
)
SENDING_AT_ONCE = 8


class Site:
    """Everything one web process serves."""

    def __init__(self) -> None:
        django = bakedbrie.wsgi.application
        scheme = urlsplit(settings.APP_URL).scheme
        self.inside = InProcess(django, threads=settings.MCP_THREADS, scheme=scheme)
        self.sending = InProcess(django, threads=SENDING_AT_ONCE, scheme=scheme, may_wait=False)
        self.mcp = McpApp(
            self.call, app_url=settings.APP_URL, version=VERSION, more_hosts=tuple(settings.ALLOWED_HOSTS)
        )
        self.live = LiveApp(self.inside)
        self.pages: Any = WSGIMiddleware(django, workers=settings.WEB_THREADS)  # type: ignore[arg-type]
        self.sending_pages: Any = WSGIMiddleware(django, workers=SENDING_AT_ONCE)  # type: ignore[arg-type]
        self._pages, self._sending_pages = WholeBodies(self.pages), WholeBodies(self.sending_pages)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live_through(receive, send)
        elif scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1000})
        else:
            await self._answer(below(settings.APP_PATH, scope), receive, send)

    async def _answer(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["path"] in {"/mcp", "/mcp/"} and settings.MCP_ENABLED:
            await self.mcp(scope, receive, send)
        elif scope["path"] == "/events":
            await self.live(scope, receive, send)
        else:
            is_sending = scope["path"] in SENDING or SENDING_PAGES.fullmatch(scope["path"])
            pages = self._sending_pages if is_sending else self._pages
            await pages(_as_wsgi_takes_it(scope), receive, send)

    async def call(self, method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> Answer:
        """Do one request of the MCP server: what waits for somebody outside keeps no thread that others need."""
        if path not in SENDING:
            return await self.inside.call(method, path, headers, body)
        try:
            return await self.sending.call(method, path, headers, body)
        except Full:
            return await self.inside.call(method, path, headers, body, marks={IS_FULL: True})

    async def _live_through(self, receive: Receive, send: Send) -> None:
        await receive()
        async with self.mcp.run(), self.live.hub.run():
            with _ending_streams(self.live):
                await send({"type": "lifespan.startup.complete"})
                await receive()
        await asyncio.to_thread(self.inside.close)
        await asyncio.to_thread(self.sending.close)
        await asyncio.to_thread(close_pool, self.pages.executor, settings.WEB_THREADS)
        await asyncio.to_thread(close_pool, self.sending_pages.executor, SENDING_AT_ONCE)
        await send({"type": "lifespan.shutdown.complete"})


@contextlib.contextmanager
def _ending_streams(live: LiveApp) -> Iterator[None]:
    """End open streams when the server is asked to stop: it waits for them, and tells them nothing.

    Asked again, the process ends at once; what it was writing to the database is then rolled back.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}

    def end(number: int, frame: FrameType | None) -> None:
        if live.hub.is_stopping.is_set():
            os._exit(128 + number)
        loop.call_soon_threadsafe(live.hub.is_stopping.set)
        handler = before[signal.Signals(number)]
        if callable(handler):
            handler(number, frame)

    for number in before:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _as_wsgi_takes_it(scope: Message) -> Message:
    """Drop header names with an underscore, which WSGI reads as a dash; percent-encode what is not ASCII in a query."""
    headers = [(name, value) for name, value in scope["headers"] if b"_" not in name]
    query = quote(scope["query_string"], safe="!#$%&'()*+,/:;=?@[]~").encode()
    return {**scope, "headers": headers, "query_string": query}


application = Site()
