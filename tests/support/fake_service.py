"""An outside service on a real socket that does as it is told: answers, drops, hangs, drips, never ends.

Each request takes the next script. `handle_with` sets a function that chooses a script by the request instead.
"""

from __future__ import annotations

import json as jsonlib
import socket
import ssl
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from typing import Self

import trustme

from tests.support import canary

_LONGEST_WAIT_S = 30.0


@dataclass(frozen=True, kw_only=True)
class Received:
    """One request as it arrived; header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes = field(default=b"")

    def __post_init__(self) -> None:
        canary.look("what an outside service was sent", self.path, self.body)

    def json(self) -> object:
        return jsonlib.loads(self.body)


class Wire:
    """What a script writes to. ``pause`` is cut short when the service stops."""

    def __init__(self, sock: socket.socket, stopping: threading.Event) -> None:
        self._sock = sock
        self._stopping = stopping

    def write(self, data: bytes) -> None:
        self._sock.sendall(data)

    def head(self, status: int, headers: Mapping[str, str]) -> None:
        lines = [f"HTTP/1.1 {status} Scripted", *(f"{name}: {value}" for name, value in headers.items())]
        self.write(("\r\n".join(lines) + "\r\n\r\n").encode())

    def chunk(self, data: bytes) -> None:
        self.write(b"%x\r\n%b\r\n" % (len(data), data))

    def reset(self) -> None:
        """End the connection at once, as a machine does that knows nothing of it any more."""
        self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._sock.close()

    def pause(self, seconds: float = _LONGEST_WAIT_S) -> None:
        self._stopping.wait(seconds)

    @property
    def is_stopping(self) -> bool:
        return self._stopping.is_set()


# A script returns whether the connection stays open for another request.
Script = Callable[[Wire], bool]


def answering(
    status: int = 200, *, json: object = None, body: bytes = b"", headers: Mapping[str, str] | None = None
) -> Script:
    """A whole answer with its length. ``headers`` may say otherwise."""
    content = jsonlib.dumps(json).encode() if json is not None else body
    kind = {"Content-Type": "application/json"} if json is not None else {}

    def script(wire: Wire) -> bool:
        wire.head(status, {**kind, "Content-Length": str(len(content)), **(headers or {})})
        wire.write(content)
        return True

    return script


class End(Enum):
    """How a streamed answer stops: as it should, in the middle, or with a reset of the connection."""

    PROPER = auto()
    CUT = auto()
    RESET = auto()


def streaming(
    chunks: Iterable[bytes], *, status: int = 200, headers: Mapping[str, str] | None = None, end: End = End.PROPER
) -> Script:
    """A chunked answer, one chunk on the wire for each of ``chunks``; an iterable that never ends never ends."""

    def script(wire: Wire) -> bool:
        wire.head(status, {"Transfer-Encoding": "chunked", **(headers or {})})
        for chunk in chunks:
            if wire.is_stopping:
                return False
            wire.chunk(chunk)
        if end is End.PROPER:
            wire.write(b"0\r\n\r\n")
        elif end is End.RESET:
            wire.reset()
        return end is End.PROPER

    return script


def dripping(data: bytes, every_s: float, *, after: bytes = b"") -> Script:
    """``after`` at once, then ``data`` byte by byte, over and over."""

    def script(wire: Wire) -> bool:
        wire.write(after)
        while not wire.is_stopping:
            for position in range(len(data)):
                wire.write(data[position : position + 1])
                wire.pause(every_s)
        return False

    return script


def saying(data: bytes) -> Script:
    """Exactly these bytes, then the end of the connection."""

    def script(wire: Wire) -> bool:
        wire.write(data)
        return False

    return script


def hanging(wire: Wire) -> bool:
    """No answer until the service stops."""
    wire.pause()
    return False


def dropping(_: Wire) -> bool:
    """The request was read; the connection ends without an answer."""
    return False


class FakeService:
    """A context manager. With ``hosts`` it speaks TLS for these names, else plain HTTP on 127.0.0.1."""

    def __init__(self, *hosts: str, folder: Path | None = None) -> None:
        self.requests: list[Received] = []
        self.connections = 0
        self.ca_file = ""
        self._hosts = hosts
        self._scripts: deque[Script] = deque()
        self._chooser: Callable[[Received], Script] | None = None
        self._arrived = threading.Condition()
        self._stopping = threading.Event()
        self._open: set[socket.socket] = set()
        self._tls = self._make_tls(folder) if hosts else None
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port: int = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept, name="fake service", daemon=True)]

    def __enter__(self) -> Self:
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        for sock in [self._listener, *self._open]:
            _end(sock)
        for thread in self._threads:
            thread.join(_LONGEST_WAIT_S)

    def url(self, path: str = "") -> str:
        """The address of ``path``; under TLS it names the first host, which `resolve` leads here."""
        return f"https://{self._hosts[0]}{path}" if self._hosts else f"http://{self.pair}{path}"

    @property
    def pair(self) -> str:
        return f"127.0.0.1:{self.port}"

    def resolve(self, host: str, port: int) -> list[tuple[str, int]]:
        """A resolver that leads every name to this service."""
        return [("127.0.0.1", self.port)]

    def script(self, *scripts: Script) -> None:
        self._scripts.extend(scripts)

    def answer(
        self, status: int = 200, *, json: object = None, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> None:
        self.script(answering(status, json=json, body=body, headers=headers))

    def stream(self, chunks: Iterable[bytes], *, headers: Mapping[str, str] | None = None) -> None:
        self.script(streaming(chunks, headers=headers))

    def drop_connection(self) -> None:
        self.script(dropping)

    def hang(self) -> None:
        self.script(hanging)

    def drip(self, data: bytes, every_s: float, *, after: bytes = b"") -> None:
        self.script(dripping(data, every_s, after=after))

    def endless(self, chunk: bytes = b"x" * 65536) -> None:
        self.script(streaming(iter(lambda: chunk, b"")))

    def handle_with(self, chooser: Callable[[Received], Script]) -> None:
        """Choose a script by looking at the request; scripts that are queued come first."""
        self._chooser = chooser

    def wait_for_requests(self, count: int, timeout_s: float = _LONGEST_WAIT_S) -> None:
        """Wait until ``count`` requests have been read whole."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: len(self.requests) >= count, timeout_s):
                raise AssertionError(f"{len(self.requests)} of {count} requests arrived.")

    def _make_tls(self, folder: Path | None) -> ssl.SSLContext:
        if folder is None:
            raise ValueError("A service with TLS needs a folder for its certificate.")
        authority = trustme.CA()
        self.ca_file = str(folder / f"ca-{id(self)}.pem")
        authority.cert_pem.write_to_path(self.ca_file)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(*self._hosts).configure_cert(context)
        return context

    def _accept(self) -> None:
        while not self._stopping.is_set():
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            thread = threading.Thread(target=self._serve, args=(sock,), name="fake connection", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, sock: socket.socket) -> None:
        self._open.add(sock)
        try:
            if self._tls is not None:
                self._open.discard(sock)
                wrapped = self._tls.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
                self._open.add(wrapped)
                sock = wrapped
                wrapped.do_handshake()
            with sock.makefile("rb") as reader:
                while (received := _read_request(reader.readline, reader.read)) is not None:
                    if not self._next_script(received)(Wire(sock, self._stopping)):
                        break
        except (OSError, ValueError):
            pass
        finally:
            _end(sock)
            self._open.discard(sock)

    def _next_script(self, received: Received) -> Script:
        with self._arrived:
            self.requests.append(received)
            self._arrived.notify_all()
            if self._scripts:
                return self._scripts.popleft()
        return self._chooser(received) if self._chooser else answering(500, json={"error": "nothing scripted"})


def _read_request(read_line: Callable[[], bytes], read: Callable[[int], bytes]) -> Received | None:
    first = read_line().decode("latin-1").split()
    if len(first) != 3:
        return None
    headers: dict[str, str] = {}
    while line := read_line().decode("latin-1").strip():
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    body = read(int(headers.get("content-length", "0")))
    return Received(method=first[0], path=first[1], headers=headers, body=body)


def _end(sock: socket.socket) -> None:
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    finally:
        sock.close()
