"""The body of a request, taken in by the event loop before a thread is given to it.

Threads are few, and none waits for the network: a client that sends slowly, or stops in the middle, holds up nobody.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from django.conf import settings

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

IN_MEMORY_BYTES = 65_536  # of one body; the rest of it lies in the data folder, under no name
ENVELOPE_BYTES = 65_536  # what a form may hold around its file
LARGE_AT_ONCE = 4  # of one process, each a file on the disk; more wait, and everything else goes on beside them
WITHIN_S = 600.0


class WholeBodies:
    """Gives ``app`` a request once its body is there. One that ends early never gets to it."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._large = asyncio.Semaphore(LARGE_AT_ONCE)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        announced = _announced(scope)
        if not announced:  # Django reads nothing then, whatever comes
            await self._app(scope, receive, send)
        elif announced <= settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            await self._take_in(scope, receive, send)
        elif announced <= settings.FILES_MAX_BYTES + ENVELOPE_BYTES:
            async with self._large:
                await self._take_in(scope, receive, send)
        else:
            await self._app(scope, _refusing, send)

    async def _take_in(self, scope: Message, receive: Receive, send: Send) -> None:
        with SpooledTemporaryFile(IN_MEMORY_BYTES, dir=str(settings.DATA)) as body:
            try:
                async with asyncio.timeout(WITHIN_S):
                    is_whole = await _collect(receive, body)
            except TimeoutError:
                await _answer_too_slow(send)
            else:
                if is_whole:
                    body.seek(0)
                    await self._app(scope, _Given(body, receive), send)


class _Given:
    """Gives a body piece by piece, then whatever comes."""

    def __init__(self, body: IO[bytes], receive: Receive) -> None:
        self._body = body
        self._receive = receive
        self._is_over = False

    async def __call__(self) -> Message:
        if self._is_over:
            return await self._receive()
        piece = self._body.read(IN_MEMORY_BYTES)
        self._is_over = len(piece) < IN_MEMORY_BYTES
        return {"type": "http.request", "body": piece, "more_body": not self._is_over}


async def _collect(receive: Receive, body: IO[bytes]) -> bool:
    """Return False when the client left before its request was complete."""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return False
        body.write(message.get("body", b""))
        if not message.get("more_body", False):
            return True


async def _refusing() -> Message:
    """Views refuse such a body by its announced length. One that reads it all the same gets nothing."""
    raise ConnectionAbortedError("The body is larger than anything that is taken here.")


def _announced(scope: Message) -> int:
    text = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
    return int(text) if text.isdigit() else 0


async def _answer_too_slow(send: Send) -> None:
    headers = [(b"content-length", b"0"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 408, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
