"""Requests and answers as plain data, so that whoever builds and reads them stays free of sockets."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Protocol

from bakedbrie.lib import strictjson

_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VALUE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?|")
# The client writes these itself: a second one would say something else about the same bytes.
_OURS = frozenset({"host", "content-length", "transfer-encoding", "accept-encoding", "connection", "te", "upgrade"})

Headers = tuple[tuple[str, str], ...]


def check_header(name: str, value: str) -> None:
    """Raise ValueError for a header that could end early, hide another one or is the client's own business."""
    if not _TOKEN.fullmatch(name):
        raise ValueError("A header name holds a character that is not allowed.")
    if name.lower() in _OURS:
        raise ValueError(f"The header {name} is written by the client.")
    if not _VALUE.fullmatch(value):
        raise ValueError(f"The value of the header {name} holds a character that is not allowed.")


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, kw_only=True)
class StreamedBody:
    """A body that is read while it is sent, once. It must hold exactly ``length`` bytes."""

    content: Readable = field(repr=False)
    length: int

    def __post_init__(self) -> None:
        if self.length < 0:
            raise ValueError("length must be at least 0.")


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request. ``timeout_s`` bounds the whole exchange, ``max_bytes`` the unpacked answer."""

    method: str
    url: str = field(repr=False)
    headers: Headers = field(default=(), repr=False)
    body: bytes | StreamedBody = field(default=b"", repr=False)
    timeout_s: float
    max_bytes: int

    def __post_init__(self) -> None:
        if not _TOKEN.fullmatch(self.method):
            raise ValueError("The method holds a character that is not allowed.")
        if not (math.isfinite(self.timeout_s) and self.timeout_s > 0):
            raise ValueError("timeout_s must be a number above 0.")
        if self.max_bytes < 1:
            raise ValueError("max_bytes must be at least 1.")
        for name, value in self.headers:
            check_header(name, value)

    @property
    def body_length(self) -> int:
        return self.body.length if isinstance(self.body, StreamedBody) else len(self.body)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came back, unpacked. Redirects are answers too: nothing follows them."""

    status: int
    headers: Headers = field(default=(), repr=False)
    body: bytes = field(default=b"", repr=False)

    def header(self, name: str) -> str | None:
        """Return the first value of the header, whatever its case, or None."""
        return find_header(self.headers, name)

    def json(self) -> object:
        """Return the body as JSON, or raise `bakedbrie.lib.strictjson.NotJson` (a ValueError)."""
        return strictjson.loads(self.body)


def find_header(headers: Headers, name: str) -> str | None:
    """Return the first value of the header, whatever its case, or None."""
    return next((value for key, value in headers if key.lower() == name.lower()), None)
