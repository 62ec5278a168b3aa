"""What is lost outside, sorted by whether the request may have arrived."""

from __future__ import annotations

import gzip
import socket
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from threading import Event

import pytest

from bakedbrie.lib.outbound import addresses
from bakedbrie.lib.outbound.client import Client
from bakedbrie.lib.outbound.errors import MaybeSent, NotSent, OutboundCode
from bakedbrie.lib.outbound.messages import Request
from tests.lib.conftest import HOST, open_to_all
from tests.support.fake_service import FakeService, Script, Wire, answering, dripping, hanging, saying

URL = f"https://{HOST}/v1"
ENOUGH_S = 20.0
SHORT_S = 0.3

MakeClient = Callable[..., Client]


def post(timeout_s: float = ENOUGH_S, max_bytes: int = 100_000, url: str = URL, body: bytes = b"{}") -> Request:
    return Request(method="POST", url=url, body=body, timeout_s=timeout_s, max_bytes=max_bytes)


def not_sent(client: Client, request: Request) -> OutboundCode:
    with pytest.raises(NotSent) as error:
        client.send(request)
    return error.value.code


def maybe_sent(client: Client, request: Request) -> OutboundCode:
    with pytest.raises(MaybeSent) as error:
        client.send(request)
    return error.value.code


@pytest.fixture
def deaf() -> Iterator[int]:
    """The port of a listener that takes connections and never says anything."""
    with socket.create_server(("127.0.0.1", 0), backlog=8) as listener:
        yield listener.getsockname()[1]


@pytest.fixture
def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@pytest.mark.requirement("C032", "C033", "C036")
@pytest.mark.parametrize(
    "url", ["https://127.1/", "https://[::1]/", "https://a@api.example.test/", "http://api.example.test/"]
)
def test_a_refused_url_asks_no_resolver(url: str, make_client: MakeClient) -> None:
    asked: list[str] = []

    def resolver(host: str, port: int) -> list[tuple[str, int]]:
        asked.append(host)
        return [("93.184.216.34", port)]

    client = make_client(resolver=resolver)

    assert not_sent(client, post(url=url)) == OutboundCode.ADDRESS_REFUSED
    assert asked == []


@pytest.mark.requirement("C032")
@pytest.mark.parametrize(
    "found", [["127.0.0.1"], ["93.184.216.34", "127.0.0.1"], ["2606:4700::1111", "::ffff:7f00:1"], ["100.100.100.200"]]
)
def test_one_closed_address_refuses_the_name_before_any_packet(
    service: FakeService, found: list[str], make_client: MakeClient
) -> None:
    client = make_client(ca_file=service.ca_file, resolver=lambda host, port: [(one, service.port) for one in found])

    assert not_sent(client, post()) == OutboundCode.ADDRESS_REFUSED
    assert service.connections == 0


@pytest.mark.requirement("C032")
def test_a_listed_pair_may_not_lead_to_metadata(make_client: MakeClient) -> None:
    client = make_client(
        loopback=lambda: ["model.internal:80"], resolver=lambda host, port: [("169.254.169.254", port)]
    )

    assert not_sent(client, post(url="http://model.internal/v1")) == OutboundCode.ADDRESS_REFUSED


def test_every_address_is_asked_about_and_the_checked_one_is_used(
    service: FakeService, make_client: MakeClient
) -> None:
    judged: list[addresses.IPAddress] = []
    names = iter([[("127.0.0.1", service.port)], [("127.0.0.2", 1)]])

    def is_open(ip: addresses.IPAddress) -> bool:
        judged.append(ip)
        return True

    client = make_client(ca_file=service.ca_file, resolver=lambda host, port: next(names), is_open=is_open)
    service.answer()

    client.send(post())

    assert judged == [ip_address("127.0.0.1")]
    assert service.requests[0].headers["host"] == HOST


def test_the_second_address_is_tried_when_the_first_is_dead(
    service: FakeService, closed_port: int, make_client: MakeClient
) -> None:
    found = [("127.0.0.1", closed_port), ("127.0.0.1", service.port)]
    client = make_client(ca_file=service.ca_file, resolver=lambda host, port: found, is_open=open_to_all)
    service.answer(204)

    assert client.send(post()).status == 204


def test_an_unknown_name_was_not_sent(make_client: MakeClient) -> None:
    assert not_sent(make_client(resolver=lambda host, port: []), post()) == OutboundCode.HOST_UNKNOWN


def test_a_refused_connection_was_not_sent(closed_port: int, make_client: MakeClient) -> None:
    assert (
        not_sent(make_client(resolver=lambda host, port: [("127.0.0.1", closed_port)], is_open=open_to_all), post())
        == OutboundCode.CONNECT_FAILED
    )


def test_a_resolver_that_never_answers_ends_with_the_deadline(make_client: MakeClient) -> None:
    never = Event()

    def resolver(host: str, port: int) -> list[tuple[str, int]]:
        never.wait(ENOUGH_S)
        return [("127.0.0.1", port)]

    assert not_sent(make_client(resolver=resolver), post(SHORT_S)) == OutboundCode.TIMED_OUT
    never.set()


def test_a_certificate_for_another_name_was_not_sent(service: FakeService, client: Client) -> None:
    assert not_sent(client, post(url="https://other.example.test/")) == OutboundCode.TLS_FAILED
    assert service.requests == []


def test_an_unknown_authority_was_not_sent(service: FakeService, make_client: MakeClient) -> None:
    client = make_client(resolver=service.resolve, is_open=open_to_all)

    assert not_sent(client, post()) == OutboundCode.TLS_FAILED
    assert service.requests == []


@pytest.mark.requirement("C039")
def test_a_handshake_that_never_ends_was_not_sent(deaf: int, make_client: MakeClient) -> None:
    assert (
        not_sent(make_client(resolver=lambda host, port: [("127.0.0.1", deaf)], is_open=open_to_all), post(SHORT_S))
        == OutboundCode.TIMED_OUT
    )


@pytest.mark.requirement("C039")
@pytest.mark.parametrize(
    "script",
    [
        hanging,
        dripping(b"x", 0.05, after=b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"),
        dripping(b"X-Drip: 1\r\n", 0.05, after=b"HTTP/1.1 200 OK\r\n"),
        dripping(b"HTTP/1.1 102 Processing\r\n\r\n", 0.01),
    ],
    ids=["silence", "body", "headers", "interim answers"],
)
def test_an_answer_that_never_ends_is_over_at_the_deadline(
    service: FakeService, client: Client, script: Script
) -> None:
    service.script(script)

    assert maybe_sent(client, post(SHORT_S)) == OutboundCode.TIMED_OUT
    assert len(service.requests) == 1


@pytest.mark.requirement("C039")
def test_a_reader_that_stops_reading_is_over_at_the_deadline(make_client: MakeClient) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        pair = f"127.0.0.1:{listener.getsockname()[1]}"
        client = make_client(loopback=lambda: [pair])

        code = maybe_sent(client, post(SHORT_S, url=f"http://{pair}/", body=b"x" * 20_000_000))

    assert code == OutboundCode.TIMED_OUT


@pytest.mark.parametrize(
    ("script", "code"),
    [
        (saying(b""), OutboundCode.CONNECTION_LOST),
        (saying(b"HTTP/1.1 200 OK\r\nContent-Len"), OutboundCode.CONNECTION_LOST),
        (saying(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345"), OutboundCode.CONNECTION_LOST),
        (saying(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n123"), OutboundCode.CONNECTION_LOST),
        (saying(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"), OutboundCode.ANSWER_MALFORMED),
        (saying(b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"), OutboundCode.ANSWER_MALFORMED),
        (saying(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), OutboundCode.ANSWER_MALFORMED),
        (saying(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000), OutboundCode.ANSWER_MALFORMED),
        (answering(body=b"x", headers={"Content-Encoding": "br"}), OutboundCode.ANSWER_MALFORMED),
        (answering(body=b"x", headers={"Content-Encoding": "gzip"}), OutboundCode.ANSWER_MALFORMED),
        (answering(body=gzip.compress(b"x")[:-3], headers={"Content-Encoding": "gzip"}), OutboundCode.ANSWER_MALFORMED),
        (
            answering(body=gzip.compress(b"x") + b"y", headers={"Content-Encoding": "gzip"}),
            OutboundCode.ANSWER_MALFORMED,
        ),
        (answering(body=b"x", headers={"Content-Encoding": "gzip, gzip"}), OutboundCode.ANSWER_MALFORMED),
    ],
)
def test_a_broken_answer_leaves_the_outcome_unknown(
    service: FakeService, client: Client, script: Script, code: OutboundCode
) -> None:
    service.script(script)

    assert maybe_sent(client, post()) == code
    assert len(service.requests) == 1


def test_a_kept_connection_that_died_is_not_tried_again(service: FakeService, client: Client) -> None:
    service.answer()
    service.drop_connection()
    client.send(post())

    assert maybe_sent(client, post()) == OutboundCode.CONNECTION_LOST
    assert len(service.requests) == 2


@pytest.mark.requirement("C038")
@pytest.mark.parametrize(
    ("coding", "filler"), [("gzip", b"\0"), ("gzip", b"a"), ("deflate", b"\0"), ("raw deflate", b"\0")]
)
def test_a_small_packed_answer_never_becomes_a_large_one(
    service: FakeService, client: Client, coding: str, filler: bytes
) -> None:
    packed = _pack([b'"', *[filler * 1_048_576] * 256, b'"'], coding)
    assert len(packed) < 300_000
    service.answer(body=packed, headers={"Content-Encoding": coding.split()[-1]})
    tracemalloc.start()

    code = maybe_sent(client, post(max_bytes=1_000_000))

    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert code == OutboundCode.ANSWER_TOO_LARGE
    assert peak < 10_000_000


@pytest.mark.requirement("C038")
def test_a_body_that_never_ends_stops_at_the_cap(service: FakeService, client: Client) -> None:
    service.endless()

    assert maybe_sent(client, post(max_bytes=1_000_000)) == OutboundCode.ANSWER_TOO_LARGE


@pytest.mark.requirement("C038")
def test_an_announced_length_is_where_the_answer_ends(service: FakeService, client: Client) -> None:
    service.script(saying(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789" + b"x" * 1_000_000))

    assert client.send(post()).body == b"0123456789"


@pytest.mark.requirement("C038")
@pytest.mark.parametrize("coding", ["gzip", "x-gzip", "deflate", "raw deflate", "identity"])
def test_a_packed_answer_is_unpacked(service: FakeService, client: Client, coding: str) -> None:
    body = b'{"text": "' + b"soup " * 15_000 + b'"}'
    service.answer(body=_pack([body], coding), headers={"Content-Encoding": coding.split()[-1]})

    assert client.send(post()).body == body


def test_the_cap_itself_is_allowed(service: FakeService, client: Client) -> None:
    service.answer(body=b"12345")
    service.answer(body=b"123456")

    assert client.send(post(max_bytes=5)).body == b"12345"
    assert maybe_sent(client, post(max_bytes=5)) == OutboundCode.ANSWER_TOO_LARGE


def test_an_answer_without_a_body_may_name_any_coding(service: FakeService, client: Client) -> None:
    service.script(saying(b"HTTP/1.1 204 No Content\r\nContent-Encoding: br\r\n\r\n"))

    assert client.send(post()).status == 204


def _pack(parts: list[bytes], coding: str) -> bytes:
    if coding == "identity":
        return b"".join(parts)
    bits = {"deflate": zlib.MAX_WBITS, "raw deflate": -zlib.MAX_WBITS}.get(coding, 16 + zlib.MAX_WBITS)
    packer = zlib.compressobj(wbits=bits)
    return b"".join([packer.compress(part) for part in parts]) + packer.flush()


class HeardEnough(Exception):
    """What a caller raises who does not want the rest of an answer."""


@pytest.mark.parametrize("before", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"])
def test_whoever_waits_for_an_answer_may_leave_while_nothing_comes(
    service: FakeService, client: Client, before: bytes
) -> None:
    looked: list[bool] = []
    heard: list[bytes] = []

    def look_up() -> None:
        looked.append(True)
        if len(looked) == 2:
            raise HeardEnough

    def say_and_wait(wire: Wire) -> bool:
        wire.write(before)
        wire.pause()
        return False

    service.script(say_and_wait, answering(json={}))
    with pytest.raises(HeardEnough), client.stream(post(), while_waiting=look_up) as answer:
        heard.extend(answer.chunks)

    assert heard == ([b"abc"] if before else [])
    assert client.send(post()).status == 200
    assert service.connections == 2


def test_looking_up_does_not_stretch_the_time(service: FakeService, client: Client) -> None:
    service.hang()

    with pytest.raises(MaybeSent) as error, client.stream(post(SHORT_S), while_waiting=lambda: None):
        raise AssertionError("There was an answer.")

    assert error.value.code == OutboundCode.TIMED_OUT
