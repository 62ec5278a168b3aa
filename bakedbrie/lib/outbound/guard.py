"""The network below every outbound request: checked and pinned addresses, and one deadline for all of it.

A name is resolved once, every address it has must be allowed, and the socket connects to exactly such an address;
name checks (Host, SNI, certificate) stay with the name. httpcore2's own timeouts start anew with each read, so
each read and write here waits only for what is left of the exchange.
"""

from __future__ import annotations

import contextlib
import math
import select
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable
from ipaddress import ip_address
from queue import Empty, SimpleQueue
from typing import Any

import httpcore2

from bakedbrie.lib.outbound.addresses import IPAddress
from bakedbrie.lib.outbound.errors import NotSent, OutboundCode

Address = tuple[str, int]
Resolver = Callable[[str, int], list[Address]]
_WRITE_BYTES = 65536
_LOOK_UP_EVERY_S = 1.0


class Exchange(float):
    """The clock of one request, and what its socket saw.

    It is a float (the whole time in seconds) because httpcore2 hands a request's timeout, unchanged, to every connect,
    read and write: so each of them knows when the whole exchange ends, on a new connection and on a kept one.
    ``while_waiting`` is called about once a second while no byte of the answer comes; what it raises ends the exchange.
    """

    ends_at: float
    has_written: bool
    was_cut: bool
    while_waiting: Callable[[], None] | None

    def __new__(cls, timeout_s: float, while_waiting: Callable[[], None] | None = None) -> Exchange:
        exchange = super().__new__(cls, timeout_s)
        exchange.ends_at = time.monotonic() + timeout_s
        exchange.while_waiting = while_waiting
        exchange.has_written = False
        exchange.was_cut = False
        return exchange

    def left(self) -> float:
        """Return the seconds that are left; 0 or less means that time is up."""
        return self.ends_at - time.monotonic()


def resolve(host: str, port: int) -> list[Address]:
    """Return every address of ``host``. Raises OSError for a name that is not known."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys((str(sockaddr[0]), int(sockaddr[1])) for *_, sockaddr in found))


class GuardedBackend(httpcore2.NetworkBackend):
    """Connects to allowed addresses only. Tests hand in a resolver of their own; the strict one is the default."""

    def __init__(self, is_allowed: Callable[[str, int, IPAddress], bool], resolver: Resolver = resolve) -> None:
        self._is_allowed = is_allowed
        self._resolver = resolver

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        exchange = _exchange(timeout)
        addresses = self._resolve(host, port, exchange)
        if not all(self._is_allowed(host, port, ip_address(address)) for address, _ in addresses):
            raise NotSent(OutboundCode.ADDRESS_REFUSED, host)
        for tried, address in enumerate(addresses):
            with contextlib.suppress(OSError):
                return _Stream(_connect(address, exchange.left() / (len(addresses) - tried)), host)
        raise NotSent(OutboundCode.TIMED_OUT if exchange.left() <= 0 else OutboundCode.CONNECT_FAILED, host)

    def _resolve(self, host: str, port: int, exchange: Exchange) -> list[Address]:
        """Resolve on a thread of its own: getaddrinfo knows no timeout, and an exit must not wait for it."""
        answers: SimpleQueue[list[Address]] = SimpleQueue()

        def ask() -> None:
            try:
                answers.put(self._resolver(host, port))
            except (OSError, UnicodeError):
                answers.put([])

        threading.Thread(target=ask, name="resolve", daemon=True).start()
        try:
            addresses = answers.get(timeout=max(exchange.left(), 0))
        except Empty:
            raise NotSent(OutboundCode.TIMED_OUT, host) from None
        if not addresses:
            raise NotSent(OutboundCode.HOST_UNKNOWN, host)
        return addresses


def _connect(address: Address, timeout_s: float) -> socket.socket:
    if timeout_s <= 0:
        raise TimeoutError
    sock = socket.create_connection(address, timeout_s)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


class _Stream(httpcore2.NetworkStream):
    """A socket whose every step waits for what is left of the exchange, and which notes what happened in it."""

    def __init__(self, sock: socket.socket, host: str) -> None:
        self._sock = sock
        self._host = host

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        exchange = _exchange(timeout)
        try:
            chunk = self._receive(max_bytes, exchange)
        except TimeoutError:
            raise httpcore2.ReadTimeout from None
        except OSError:
            exchange.was_cut = True
            raise httpcore2.ReadError from None
        exchange.was_cut = not chunk
        return chunk

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        exchange = _exchange(timeout)
        view = memoryview(buffer)
        try:
            while view:
                self._wait_at_most(exchange)
                exchange.has_written = True
                view = view[self._sock.send(view[:_WRITE_BYTES]) :]
        except TimeoutError:
            raise httpcore2.WriteTimeout from None
        except OSError:
            exchange.was_cut = True
            raise httpcore2.WriteError from None

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        try:
            self._wait_at_most(_exchange(timeout))
            wrapped = ssl_context.wrap_socket(self._sock, server_hostname=server_hostname)
        except TimeoutError:
            self.close()
            raise NotSent(OutboundCode.TIMED_OUT, self._host) from None
        except OSError as error:
            self.close()
            is_tls = isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError)
            raise NotSent(OutboundCode.TLS_FAILED if is_tls else OutboundCode.CONNECT_FAILED, self._host) from None
        return _Stream(wrapped, self._host)

    def close(self) -> None:
        self._sock.close()

    def get_extra_info(self, info: str) -> Any:
        """Answer the one thing that matters for HTTP/1.1: was a kept connection closed by the other side meanwhile?"""
        return _is_readable(self._sock) if info == "is_readable" else None

    def _receive(self, max_bytes: int, exchange: Exchange) -> bytes:
        look_up = exchange.while_waiting
        if look_up is None:
            self._wait_at_most(exchange)
            return self._sock.recv(max_bytes)
        while True:
            self._wait_at_most(exchange, _LOOK_UP_EVERY_S)
            try:
                return self._sock.recv(max_bytes)
            except TimeoutError:
                look_up()

    def _wait_at_most(self, exchange: Exchange, seconds: float = math.inf) -> None:
        left = exchange.left()
        if left <= 0:
            raise TimeoutError
        self._sock.settimeout(min(left, seconds))


def _is_readable(sock: socket.socket) -> bool:
    if sock.fileno() < 0:
        return True
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    return bool(poll.poll(0))


def _exchange(timeout: float | None) -> Exchange:
    if not isinstance(timeout, Exchange):
        raise TypeError("Every timeout of an outbound request must be its exchange.")
    return timeout
