"""Server-sent events, read piece by piece as the HTML standard describes them. Pure: bytes in, events out."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_LINE_END = re.compile("\r\n|\n|\r")


@dataclass(frozen=True, kw_only=True)
class SseEvent:
    """``name`` is what stood under ``event``, or "message"."""

    name: str
    data: str = field(repr=False)


class SseReader:
    """Takes bytes cut anywhere. It keeps at most what one unfinished event holds: bound what you feed it."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._is_first = True
        self._ended_with_cr = False
        self._line: list[str] = []
        self._name = ""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> Iterator[SseEvent]:
        """Yield every event that ``chunk`` completes. Iterate to the end: what is not taken is not read."""
        text = self._decoder.decode(chunk)
        if not text:
            return
        if self._is_first:
            text = text.removeprefix("\ufeff")
            self._is_first = False
        if self._ended_with_cr:  # the second half of a line end whose first half ended the line already
            text = text.removeprefix("\n")
        self._ended_with_cr = text.endswith("\r")
        *lines, rest = _LINE_END.split(text)
        for line in lines:
            event = self._take_line("".join(self._line) + line)
            self._line = []
            if event:
                yield event
        if rest:
            self._line.append(rest)

    def finish(self) -> SseEvent | None:
        """Return the event that only lacks its empty line, now that no more bytes come.

        The standard drops it. Whoever reads JSON from it sees for themselves whether it is whole.
        """
        last = "".join(self._line) + self._decoder.decode(b"", final=True)
        self._line = []
        if last:
            self._take_line(last)
        return self._take_line("")

    def _take_line(self, line: str) -> SseEvent | None:
        if not line:
            return self._dispatch()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._name = value
        return None  # a comment, or a field that we have no use for

    def _dispatch(self) -> SseEvent | None:
        event = SseEvent(name=self._name or "message", data="\n".join(self._data)) if self._data else None
        self._name, self._data = "", []
        return event
