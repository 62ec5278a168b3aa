"""A streamed answer: its events are put together to what the whole answer would have been, while its text comes."""

from __future__ import annotations

from dataclasses import replace

from agents.providers.base import Events, Reply, Usage, storable
from bakedbrie.lib import strictjson
from bakedbrie.lib.outbound.messages import Headers, find_header
from bakedbrie.lib.sse import SseEvent, SseReader

_DONE = "[DONE]"


class StreamReader:
    """Takes the bytes of one answer, cut anywhere, and never raises. What comes after its end is not read."""

    def __init__(self, events: Events) -> None:
        self._bytes = SseReader()
        self._events = events
        self._pieces: list[str] = []

    @property
    def is_whole(self) -> bool:
        return self._events.is_whole

    @property
    def text(self) -> str:
        """Return what was written so far."""
        return storable("".join(self._pieces))

    @property
    def usage(self) -> Usage | None:
        return self._events.usage()

    def feed(self, chunk: bytes) -> str:
        """Return the text that ``chunk`` brings."""
        return self._keep([self._take(event) for event in self._bytes.feed(chunk)])

    def finish(self) -> str:
        """Take what the end of the bytes left over: a last event that only lacks its empty line counts (C080)."""
        last = self._bytes.finish()
        text = self._take(last) if last else ""
        if not self.is_whole:
            self._events.end()
        return self._keep([text])

    def reply(self) -> Reply | None:
        """Say what the answer means, or None when it broke off. After an error it holds what was written before."""
        if not self.is_whole:
            return None
        reply = self._events.reply()
        return reply if reply.text else replace(reply, text=self.text)

    def _take(self, event: SseEvent) -> str:
        if self.is_whole:
            return ""
        if event.data.strip() == _DONE:
            self._events.end()
            return ""
        try:
            value = strictjson.loads(event.data)
        except strictjson.NotJson:
            return ""
        return self._events.take(value) if isinstance(value, dict) else ""

    def _keep(self, texts: list[str]) -> str:
        piece = "".join(texts)
        if piece:
            self._pieces.append(piece)
        return piece


def is_stream(headers: Headers) -> bool:
    """Tell whether an answer comes as events; some services answer in one piece whatever they are asked."""
    kind = find_header(headers, "content-type") or ""
    return kind.partition(";")[0].strip().lower() == "text/event-stream"
