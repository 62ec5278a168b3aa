"""/events: a stream of hints for an open page. A hint says that something changed, never what: the page looks again."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, MutableMapping
from typing import Any
from urllib.parse import parse_qs, quote

import redis
import redis.asyncio
from django.conf import settings
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from bakedbrie.inprocess import InProcess
from bakedbrie.lib.live import channel, kind_of

logger = logging.getLogger(__name__)

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

CHECK_EVERY_S = 15
LISTEN_AGAIN_AFTER_S = 1
WAITING_HINTS = 100
REMEMBERED_BOARDS = 10_000
FORWARDED = (b"cookie", b"host", b"x-forwarded-proto", b"user-agent")
STREAM_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


class Hub:
    """Listens to Valkey once per process and hands each hint to the open streams of its board."""

    def __init__(self) -> None:
        self._queues: dict[str, set[asyncio.Queue[str]]] = {}
        self._changed_at: dict[str, float] = {}
        self._heard_from = math.inf  # nothing that came since then was missed
        self.is_stopping = asyncio.Event()

    @property
    def size(self) -> int:
        return sum(len(queues) for queues in self._queues.values())

    @property
    def is_listening(self) -> bool:
        return self._heard_from < math.inf

    @contextlib.contextmanager
    def queue(self, board: str) -> Iterator[asyncio.Queue[str]]:
        """Collect the hints of one board while the block runs."""
        queue: asyncio.Queue[str] = asyncio.Queue(WAITING_HINTS)
        self._queues.setdefault(board, set()).add(queue)
        try:
            yield queue
        finally:
            self._queues[board].discard(queue)
            if not self._queues[board]:
                del self._queues[board]

    def may_have_changed(self, board: str, since: float) -> bool:
        """Whether a hint of the board came after an instant (seconds since 1970), or may have come unheard."""
        return since < self._heard_from or since <= self._changed_at.get(board, -math.inf)

    @contextlib.asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        listener = asyncio.create_task(self._listen_for_ever())
        try:
            yield
        finally:
            self.is_stopping.set()
            listener.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await listener

    async def _listen_for_ever(self) -> None:
        """Hints that came while Valkey was away are lost, so every page is told to look again."""
        while True:
            try:
                await self._listen()
            except (redis.RedisError, OSError):
                logger.warning("Live hints are interrupted")
            self._heard_from = math.inf
            await asyncio.sleep(LISTEN_AGAIN_AFTER_S)

    async def _listen(self) -> None:
        retry = Retry(NoBackoff(), 0)
        prefix = channel("")
        async with (
            redis.asyncio.Redis.from_url(settings.REDIS_URL, retry=retry) as client,
            client.pubsub(ignore_subscribe_messages=False) as pubsub,
        ):
            await pubsub.psubscribe(channel("*"))
            async for message in pubsub.listen():
                if message["type"] == "psubscribe":
                    self._remember_from_now()
                    for board in list(self._queues):
                        self._hand_out(board, look_again(board))
                elif message["type"] == "pmessage":
                    board, text = message["channel"].decode().removeprefix(prefix), message["data"].decode()
                    self._note(board, text)
                    self._hand_out(board, text)

    def _remember_from_now(self) -> None:
        self._changed_at.clear()
        self._heard_from = time.time()

    def _note(self, board: str, text: str) -> None:
        """Remember that the board changed. Of the lines that an agent writes the next one tells as well."""
        if kind_of(text) == "turn_line":
            return
        if len(self._changed_at) >= REMEMBERED_BOARDS:
            self._remember_from_now()
        self._changed_at[board] = time.time()

    def _hand_out(self, board: str, hint: str) -> None:
        for queue in self._queues.get(board, ()):
            if queue.full():
                while not queue.empty():
                    queue.get_nowait()
                hint = look_again(board)
            queue.put_nowait(hint)


def look_again(board: str) -> str:
    """Return the hint that stands for any number of lost ones."""
    return json.dumps({"board": board, "card": None, "kind": "look_again"})


class LiveApp:
    """The ASGI application at /events, for one ``board``.

    ``since`` is when the page was asked for. What changed before its stream began is told by one hint at the start.
    """

    def __init__(self, inside: InProcess) -> None:
        self.hub = Hub()
        self._inside = inside

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        asked = parse_qs(scope["query_string"].decode("latin-1"))
        board = asked.get("board", [""])[0]
        if scope["method"] != "GET":
            return await _answer(send, 405, [(b"allow", b"GET")])
        if self.hub.size >= settings.LIVE_STREAMS:
            return await _answer(send, 503, [(b"retry-after", b"30")])
        if not await self._may_open(scope, board):
            return await _answer(send, 404, [])
        with self.hub.queue(board) as queue:
            if "since" in asked and self.hub.may_have_changed(board, _instant(asked["since"][0])):
                queue.put_nowait(look_again(board))
            return await self._stream(scope, receive, send, board, queue)

    async def _stream(
        self, scope: Message, receive: Receive, send: Send, board: str, queue: asyncio.Queue[str]
    ) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": STREAM_HEADERS})
        await _write(send, "retry: 3000\n\n")
        left = asyncio.create_task(_until_the_client_leaves(receive))
        stopping = asyncio.create_task(self.hub.is_stopping.wait())
        try:
            while not (left.done() or stopping.done()):
                await self._pass_on_hints(send, queue, {left, stopping})
                if left.done() or stopping.done() or not await self._may_open(scope, board):
                    break
                await _write(send, ": still here\n\n")
        finally:
            left.cancel()
            stopping.cancel()
        await _write(send, "", more=False)

    async def _pass_on_hints(self, send: Send, queue: asyncio.Queue[str], endings: set[asyncio.Task[Any]]) -> None:
        """Return when the next access check is due or the stream is to end."""
        loop = asyncio.get_running_loop()
        check_at = loop.time() + CHECK_EVERY_S
        while (left_s := check_at - loop.time()) > 0:
            hint = asyncio.create_task(queue.get())
            done, _ = await asyncio.wait({hint, *endings}, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
            if hint not in done:
                hint.cancel()
                return
            await _write(send, f"data: {hint.result()}\n\n")

    async def _may_open(self, scope: Message, board: str) -> bool:
        """Ask the pages' own session, with the cookie of this request; a restart or a sign-out counts at once."""
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"] if name in FORWARDED
        }
        answer = await self._inside.call("GET", f"/live/access?board={quote(board, safe='')}", headers)
        return answer.status == 204


def _instant(text: str) -> float:
    """Return the seconds that a page named, or a time before everything for anything else."""
    try:
        seconds = float(text)
    except ValueError:
        return -math.inf
    return seconds if math.isfinite(seconds) else -math.inf


async def _until_the_client_leaves(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _write(send: Send, text: str, *, more: bool = True) -> None:
    await send({"type": "http.response.body", "body": text.encode(), "more_body": more})


async def _answer(send: Send, status: int, headers: list[tuple[bytes, bytes]]) -> None:
    await send({"type": "http.response.start", "status": status, "headers": [*headers, (b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})
