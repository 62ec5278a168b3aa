"""send and stream: the only two functions that put bytes on the internet.

Nothing here follows a redirect, asks a proxy, or sends twice. `NotSent` and `MaybeSent` say which side of the wire
a failure was on; everything else that came back is an `Answer`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cache

import httpcore2
from django.conf import settings
from django.db import connections

from bakedbrie.lib.outbound import addresses, guard, unpacking
from bakedbrie.lib.outbound.errors import MaybeSent, NotSent, OutboundCode, OutboundError
from bakedbrie.lib.outbound.guard import Exchange
from bakedbrie.lib.outbound.messages import Answer, Headers, Request, StreamedBody, check_header, find_header
from bakedbrie.lib.outbound.urls import Target, UrlRefused, parse_url
from bakedbrie.lib.sealing import Secret

_MOST_CONNECTIONS = 100
_KEPT_S = 15.0
_PIECE_BYTES = 65536
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})


@dataclass(frozen=True, kw_only=True)
class KeyAuth:
    """A key and the header it goes in. Opened at the last moment, and only for the host of the request."""

    header: str
    prefix: str = ""
    secret: Secret

    def __post_init__(self) -> None:
        check_header(self.header, self.prefix + self.secret.reveal())


@dataclass(frozen=True, kw_only=True)
class StreamedAnswer:
    """An answer that is still arriving: ``chunks`` are unpacked bytes, and reading them may raise `MaybeSent`."""

    status: int
    headers: Headers = field(repr=False)
    chunks: Iterator[bytes] = field(repr=False)

    def header(self, name: str) -> str | None:
        """Return the first value of the header, whatever its case, or None."""
        return find_header(self.headers, name)


def send(request: Request, *, auth: KeyAuth | None = None, allow_loopback: bool = False) -> Answer:
    """Send once and return the whole answer, or raise `NotSent` or `MaybeSent`.

    ``allow_loopback`` is for AI accounts and buckets: it opens the host:port pairs in OUTBOUND_LOOPBACK. Raises
    RuntimeError inside a database transaction: a rollback could not take the request back.
    """
    return _shared(allow_loopback).send(request, auth=auth)


def stream(
    request: Request,
    *,
    auth: KeyAuth | None = None,
    allow_loopback: bool = False,
    while_waiting: Callable[[], None] | None = None,
) -> AbstractContextManager[StreamedAnswer]:
    """Send once and hand out the answer while it arrives; the same limits and errors as `send`.

    ``while_waiting`` is called about once a second while nothing comes, before the head of the answer as well as
    between its chunks. What it raises closes the connection and comes out of here.
    """
    return _shared(allow_loopback).stream(request, auth=auth, while_waiting=while_waiting)


class Client:
    """A pool of checked connections. Only tests make their own: ``resolver`` and ``is_open`` replace the guard's."""

    def __init__(
        self,
        *,
        loopback: Callable[[], Collection[str]] = tuple,
        ca_file: str = "",
        resolver: guard.Resolver = guard.resolve,
        is_open: Callable[[addresses.IPAddress], bool] = addresses.is_public,
    ) -> None:
        self._loopback = loopback
        self._is_open = is_open
        trust = httpcore2.default_ssl_context()
        if ca_file:
            trust.load_verify_locations(ca_file)
        self._pool = httpcore2.ConnectionPool(
            ssl_context=trust,
            max_connections=_MOST_CONNECTIONS,
            max_keepalive_connections=20,
            keepalive_expiry=_KEPT_S,
            retries=0,
            network_backend=guard.GuardedBackend(self._is_allowed, resolver),
        )

    def send(self, request: Request, *, auth: KeyAuth | None = None) -> Answer:
        with self.stream(request, auth=auth) as answer:
            return Answer(status=answer.status, headers=answer.headers, body=b"".join(answer.chunks))

    @contextmanager
    def stream(
        self, request: Request, *, auth: KeyAuth | None = None, while_waiting: Callable[[], None] | None = None
    ) -> Iterator[StreamedAnswer]:
        _refuse_inside_transaction()
        try:
            target = parse_url(request.url, loopback=self._loopback())
        except UrlRefused:
            raise NotSent(OutboundCode.ADDRESS_REFUSED) from None
        exchange = Exchange(request.timeout_s, while_waiting)
        with _sorted_errors(exchange, target.host):
            response = self._pool.handle_request(_wire_request(request, target, auth, exchange))
        headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers)
        chunks = _chunks(response, headers, request.max_bytes, exchange, target.host)
        try:
            yield StreamedAnswer(status=response.status, headers=headers, chunks=chunks)
        finally:
            chunks.close()
            response.close()

    def close(self) -> None:
        """Close every kept connection."""
        self._pool.close()

    def _is_allowed(self, host: str, port: int, ip: addresses.IPAddress) -> bool:
        pair = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        return self._is_open(ip) or (addresses.is_local(ip) and pair in {one.lower() for one in self._loopback()})


def _shared(allow_loopback: bool) -> Client:
    return _client_for(allow_loopback, settings.OUTBOUND_CA_FILE)


@cache
def _client_for(allow_loopback: bool, ca_file: str) -> Client:
    """Keep one client per process and kind: a TLS context takes 30 ms, and a strict call must not reuse a local one.

    None is dropped for another: it would leave its kept connections open.
    """
    return Client(loopback=_listed if allow_loopback else tuple, ca_file=ca_file)


def _listed() -> Collection[str]:
    pairs: list[str] = settings.OUTBOUND_LOOPBACK
    return pairs


def _refuse_inside_transaction() -> None:
    for connection in connections.all(initialized_only=True):
        # A test case wraps itself in transactions that nothing in the product opened.
        if any(not getattr(block, "_from_testcase", False) for block in connection.atomic_blocks):
            raise RuntimeError("Nothing is sent inside a database transaction: commit first.")


def _wire_request(request: Request, target: Target, auth: KeyAuth | None, exchange: Exchange) -> httpcore2.Request:
    headers = [("Host", target.authority), ("Accept-Encoding", unpacking.ACCEPTED), *request.headers]
    if find_header(request.headers, "User-Agent") is None:
        headers.append(("User-Agent", "BakedBrie"))
    if request.body_length or request.method in _WITH_BODY:
        headers.append(("Content-Length", str(request.body_length)))
    if auth is not None:
        if find_header(request.headers, auth.header) is not None:
            raise ValueError(f"The header {auth.header} is there twice.")
        headers.append((auth.header, auth.prefix + auth.secret.reveal()))
    body = request.body
    return httpcore2.Request(
        method=request.method,
        url=httpcore2.URL(scheme=target.scheme, host=target.host, port=target.port, target=target.target),
        headers=headers,
        content=_pieces(body, exchange, target.host) if isinstance(body, StreamedBody) else body,
        extensions={"timeout": dict.fromkeys(("pool", "connect", "write", "read"), exchange)},
    )


def _pieces(body: StreamedBody, exchange: Exchange, host: str) -> Iterator[bytes]:
    """Read the body while it is sent. One that ends early or goes on is not sent to its end, so it does not count."""
    left = body.length
    while left:
        piece = _read(body, min(left, _PIECE_BYTES))
        left -= len(piece)
        if not piece or (not left and _read(body, 1)):
            raise _lost(exchange, OutboundCode.BODY_BROKEN, host)
        yield piece


def _read(body: StreamedBody, size: int) -> bytes:
    try:
        return body.content.read(size)
    except OSError:
        return b""


def _chunks(
    response: httpcore2.Response, headers: Headers, max_bytes: int, exchange: Exchange, host: str
) -> Generator[bytes, None, None]:
    """Yield the unpacked body; counts what was unpacked, since a packed or announced length says nothing."""
    unpacker: unpacking.Unpacker | None = None
    seen = 0
    with _sorted_errors(exchange, host):
        for wire in response.iter_stream():
            unpacker = unpacker or unpacking.Unpacker(unpacking.coding_of(headers))
            for piece in unpacker.feed(wire):
                seen += len(piece)
                if seen > max_bytes:
                    raise MaybeSent(OutboundCode.ANSWER_TOO_LARGE, host)
                yield piece
        if unpacker:
            unpacker.finish()


@contextmanager
def _sorted_errors(exchange: Exchange, host: str) -> Iterator[None]:
    """Turn what httpcore2 raises into `NotSent` or `MaybeSent`: was any byte of the request written?"""
    try:
        yield
    except httpcore2.TimeoutException:
        raise _lost(exchange, OutboundCode.TIMED_OUT, host) from None
    except httpcore2.NetworkError:
        raise _lost(exchange, OutboundCode.CONNECTION_LOST, host) from None
    except httpcore2.ProtocolError:
        code = OutboundCode.CONNECTION_LOST if exchange.was_cut else OutboundCode.ANSWER_MALFORMED
        raise _lost(exchange, code, host) from None
    except unpacking.CannotUnpack:
        raise _lost(exchange, OutboundCode.ANSWER_MALFORMED, host) from None


def _lost(exchange: Exchange, code: OutboundCode, host: str) -> OutboundError:
    return MaybeSent(code, host) if exchange.has_written else NotSent(code, host)
