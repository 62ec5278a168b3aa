"""Sending once: what goes on the wire, what comes back, and who gets the key."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
import trustme
from django.db import transaction
from django.test import override_settings

from bakedbrie.lib.outbound.client import Client, KeyAuth, _client_for, send, stream
from bakedbrie.lib.outbound.errors import MaybeSent, NotSent, OutboundCode
from bakedbrie.lib.outbound.messages import Request
from bakedbrie.lib.sealing import Secret
from tests.lib.conftest import HOST
from tests.support.fake_service import FakeService, answering

CANARY = "sk-canary-7Zq2mX9"


def request(url: str, method: str = "GET", body: bytes = b"", headers: tuple[tuple[str, str], ...] = ()) -> Request:
    return Request(method=method, url=url, headers=headers, body=body, timeout_s=20, max_bytes=1_000_000)


def key(header: str = "Authorization", prefix: str = "Bearer ") -> KeyAuth:
    return KeyAuth(header=header, prefix=prefix, secret=Secret(CANARY))


def test_a_request_arrives_as_it_was_built(service: FakeService, client: Client) -> None:
    service.answer(201, json={"id": 7}, headers={"X-Request": "r1"})

    answer = client.send(request(service.url("/v1/items?a=1"), "POST", b'{"a":1}', (("X-Kind", "test"),)), auth=key())

    assert (answer.status, answer.json(), answer.header("x-request")) == (201, {"id": 7}, "r1")
    (received,) = service.requests
    assert (received.method, received.path, received.body) == ("POST", "/v1/items?a=1", b'{"a":1}')
    assert received.headers == {
        "host": HOST,
        "accept-encoding": "gzip, deflate",
        "x-kind": "test",
        "user-agent": "BakedBrie",
        "content-length": "7",
        "authorization": f"Bearer {CANARY}",
    }


def test_a_get_has_no_body_and_no_length(service: FakeService, client: Client) -> None:
    service.answer()

    client.send(request(service.url("/")))

    assert "content-length" not in service.requests[0].headers
    assert "authorization" not in service.requests[0].headers


def test_an_error_status_is_an_answer(service: FakeService, client: Client) -> None:
    service.answer(503, json={"error": "overloaded"}, headers={"Retry-After": "3"})

    answer = client.send(request(service.url("/")))

    assert (answer.status, answer.header("retry-after")) == (503, "3")


@pytest.mark.requirement("C035")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/meta-data/",
        "https://evil.test/collect",
        f"http://{HOST}/",
        "//evil.test/x",
        f"https://{HOST}/v2",
        "/again",
    ],
)
def test_a_redirect_is_an_answer_and_nothing_follows_it(
    service: FakeService, client: Client, status: int, location: str
) -> None:
    service.handle_with(lambda _: answering(status, headers={"Location": location}))

    answer = client.send(request(service.url("/v1"), "POST", b"x"), auth=key())

    assert (answer.status, answer.header("location")) == (status, location)
    assert [(received.method, received.path) for received in service.requests] == [("POST", "/v1")]


def test_a_connection_is_kept_for_the_next_request(service: FakeService, client: Client) -> None:
    service.handle_with(lambda _: answering())

    for _ in range(3):
        client.send(request(service.url("/")))

    assert (len(service.requests), service.connections) == (3, 1)


def test_a_kept_connection_stays_whatever_other_clients_are_made(plain_service: FakeService, tmp_path: Path) -> None:
    """Dropped for another client it would never be closed, and the collector would warn of its socket."""
    plain_service.handle_with(lambda _: answering())
    authority = trustme.CA()

    with override_settings(OUTBOUND_LOOPBACK=[plain_service.pair]):
        send(request(plain_service.url("/")), allow_loopback=True)
        for number in range(10):
            authority.cert_pem.write_to_path(str(tmp_path / f"{number}.pem"))
            _client_for(True, str(tmp_path / f"{number}.pem"))
        send(request(plain_service.url("/")), allow_loopback=True)

    assert (len(plain_service.requests), plain_service.connections) == (2, 1)


def test_a_streamed_answer_arrives_in_pieces(service: FakeService, client: Client) -> None:
    service.stream([b"one", b"two"], headers={"Content-Type": "text/event-stream"})

    with client.stream(request(service.url("/"))) as answer:
        assert (answer.status, answer.header("content-type")) == (200, "text/event-stream")
        assert list(answer.chunks) == [b"one", b"two"]


def test_a_stream_that_is_left_early_is_closed_and_its_connection_not_used_again(
    service: FakeService, client: Client
) -> None:
    service.endless()
    service.answer(204)

    with client.stream(request(service.url("/"))) as answer:
        assert next(answer.chunks)[:1] == b"x"
    second = client.send(request(service.url("/")))

    assert (second.status, service.connections) == (204, 2)


@pytest.mark.django_db
def test_nothing_is_sent_inside_a_transaction(service: FakeService, client: Client) -> None:
    with transaction.atomic(), pytest.raises(RuntimeError, match="transaction"):
        client.send(request(service.url("/")))

    assert service.requests == []


@pytest.mark.django_db
def test_the_transaction_around_a_test_does_not_count(service: FakeService, client: Client) -> None:
    service.answer()

    assert client.send(request(service.url("/"))).status == 200


def test_a_listed_address_is_open_to_accounts_and_to_nobody_else(plain_service: FakeService) -> None:
    plain_service.handle_with(lambda _: answering(json={"ok": True}))

    with override_settings(OUTBOUND_LOOPBACK=[plain_service.pair]):
        answer = send(request(plain_service.url("/v1")), allow_loopback=True)
        with pytest.raises(NotSent) as refused:
            send(request(plain_service.url("/v1")))

    assert answer.json() == {"ok": True}
    assert refused.value.code == OutboundCode.ADDRESS_REFUSED
    assert plain_service.requests[0].headers["host"] == plain_service.pair
    assert len(plain_service.requests) == 1


def test_an_address_that_is_not_listed_is_closed_to_accounts(plain_service: FakeService) -> None:
    with (
        override_settings(OUTBOUND_LOOPBACK=[f"127.0.0.1:{plain_service.port + 1}"]),
        pytest.raises(NotSent) as refused,
    ):
        send(request(plain_service.url("/v1")), allow_loopback=True)

    assert refused.value.code == OutboundCode.ADDRESS_REFUSED
    assert plain_service.connections == 0


def test_the_shared_stream_is_as_strict_as_send(plain_service: FakeService) -> None:
    with pytest.raises(NotSent), stream(request(plain_service.url("/v1"))):
        pass

    assert plain_service.connections == 0


def test_proxy_variables_are_not_read(
    service: FakeService, client: Client, plain_service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, plain_service.url())
    service.answer()

    client.send(request(service.url("/")))

    assert (len(service.requests), plain_service.connections) == (1, 0)


def test_the_key_shows_in_no_text_of_the_client(
    service: FakeService, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    service.drop_connection()
    auth, wire = key(), request(service.url(f"/{CANARY}"), "POST", CANARY.encode(), (("X-Other", CANARY),))

    with pytest.raises(MaybeSent) as lost:
        client.send(wire, auth=auth)

    texts = [
        repr(auth),
        repr(wire),
        repr(lost.value),
        str(lost.value),
        *(record.getMessage() for record in caplog.records),
    ]
    assert not [text for text in texts if CANARY in text]
    assert str(lost.value) == f"CONNECTION_LOST: The connection broke before the answer was complete ({HOST})."


@pytest.mark.parametrize("secret", ["a\r\nX-Evil: 1", "a\nb", "ключ", "a\x00", " a", "a "])
def test_a_key_that_would_break_the_header_is_refused_without_being_shown(secret: str) -> None:
    with pytest.raises(ValueError, match="Authorization") as refused:
        KeyAuth(header="Authorization", secret=Secret(secret))

    assert str(refused.value) == "The value of the header Authorization holds a character that is not allowed."


def test_a_request_may_not_bring_the_header_of_the_key(service: FakeService, client: Client) -> None:
    with pytest.raises(ValueError, match="twice"):
        client.send(request(service.url("/"), headers=(("authorization", "x"),)), auth=key())

    assert service.requests == []
