"""An S3 that keeps objects in memory, counts what is written, and can be told to leave a request without its answer."""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Self
from urllib.parse import parse_qs, quote, unquote, urlsplit
from xml.sax.saxutils import escape

from tests.support.fake_provider import Late
from tests.support.fake_service import FakeService, Received, Script, answering

_LONGEST_WAIT_S = 30.0
_LIST = '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{}</ListBucketResult>'
_ENTRY = (
    "<Contents><Key>{}</Key><LastModified>2026-11-30T10:00:00.000Z</LastModified>"
    "<ETag>{}</ETag><Size>{}</Size></Contents>"
)


class FakeS3(FakeService):
    """``objects`` are the keys of the one bucket with their bytes; ``writes`` and ``removals`` count what was done.

    ``bent`` holds what a method is answered instead of being done, ``listed`` keys that lists tell beside those that
    are there.
    """

    def __init__(self) -> None:
        super().__init__()
        self.writes: Counter[str] = Counter()
        self.removals: Counter[str] = Counter()
        self.objects: dict[str, bytes] = {}
        self.bent: dict[str, Script] = {}
        self.listed: list[str] = []
        self._held: tuple[str, int] | None = None
        self._late: Late | None = None
        self._is_held = threading.Event()
        self.handle_with(self._answer)

    def __enter__(self) -> Self:
        return super().__enter__()

    def empty(self) -> None:
        for kept in (self.objects, self.writes, self.removals, self.requests, self.bent, self.listed):
            kept.clear()

    @contextmanager
    def withholding(self, method: str, *, nth: int = 1) -> Iterator[tuple[Callable[[], None], Callable[[], None]]]:
        """Do the n-th request of a method from now on, but leave it without its answer.

        Gives two functions: one waits until that has happened, the other lets the answer go.
        """
        self._held, self._late = (method, nth), None
        self._is_held.clear()
        try:
            yield self._wait, self._let_go
        finally:
            self._held = None
            self._let_go()

    def _wait(self) -> None:
        if not self._is_held.wait(_LONGEST_WAIT_S):
            raise AssertionError(f"No {self._held} arrived.")

    def _let_go(self) -> None:
        if self._late is not None:
            self._late.answer_now()

    def _answer(self, received: Received) -> Script:
        script = self._do(received)
        if self._held is None or self._held[0] != received.method:
            return script
        method, left = self._held
        if left > 1:
            self._held = (method, left - 1)
            return script
        self._held, self._late = None, Late(script)
        self._is_held.set()
        return self._late

    def _do(self, received: Received) -> Script:
        if received.method in self.bent:
            return self.bent[received.method]
        url = urlsplit(received.path)
        key = unquote(url.path).split("/", 2)[2] if url.path.count("/") > 1 else ""
        if received.method == "GET" and not key:
            return self._list(parse_qs(url.query)["prefix"][0])
        if received.method == "PUT":
            return self._put(key, received)
        if received.method == "DELETE":
            self.removals[key] += self.objects.pop(key, None) is not None
            return answering(204)
        return self._read(key, received)

    def _put(self, key: str, received: Received) -> Script:
        if received.headers.get("if-none-match") == "*" and key in self.objects:
            return answering(412, body=b"<Error><Code>PreconditionFailed</Code></Error>")
        self.objects[key] = received.body
        self.writes[key] += 1
        return answering(200, headers={"ETag": _etag(received.body)})

    def _read(self, key: str, received: Received) -> Script:
        content = self.objects.get(key)
        if content is None:
            return answering(404, body=b"<Error><Code>NoSuchKey</Code></Error>" if received.method == "GET" else b"")
        if received.headers.get("if-none-match") == _etag(content):
            return answering(304)
        headers = {"ETag": _etag(content), "Content-Length": str(len(content)), "Content-Type": "text/plain"}
        return answering(200, body=content if received.method == "GET" else b"", headers=headers)

    def _list(self, prefix: str) -> Script:
        found = [(key, content) for key, content in sorted(self.objects.items()) if key.startswith(prefix)]
        found += [(key, b"listed") for key in self.listed]
        entries = "".join(_ENTRY.format(escape(quote(key)), _etag(content), len(content)) for key, content in found)
        told = f"<EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>{entries}"
        return answering(200, body=_LIST.format(told).encode())


def _etag(content: bytes) -> str:
    return f'"{hashlib.md5(content, usedforsecurity=False).hexdigest()}"'
