"""A service that answers badly, late or not at all: nothing is taken for success, and memory stays small."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from django.test import override_settings

from bakedbrie.lib.outbound.errors import MaybeSent, OutboundCode
from bakedbrie.lib.s3.answers import S3Code
from bakedbrie.lib.s3.bucket import Bucket
from bakedbrie.lib.s3.client import S3
from bakedbrie.lib.sealing import Secret
from tests.support.buckets import S3Server
from tests.support.fake_service import FakeService, answering, dripping, saying

ERROR = b'<?xml version="1.0"?><Error><Code>%s</Code><Message>m</Message></Error>'
LAUGHS = b'<!DOCTYPE x [<!ENTITY a "haha"><!ENTITY b "&a;&a;&a;">]><Error><Code>&b;</Code></Error>'


@pytest.fixture
def service() -> Iterator[FakeService]:
    with FakeService() as service, override_settings(OUTBOUND_LOOPBACK=[service.pair]):
        yield service


def client_of(service: FakeService, timeout_s: float = 20) -> S3:
    bucket = Bucket(endpoint=service.url(), region="auto", name="cheese", access_key_id="AKIA")
    return S3(bucket, Secret("never on the wire"), timeout_s=timeout_s)


def test_what_goes_out_is_signed_and_never_holds_the_secret(service: FakeService) -> None:
    service.answer(200, headers={"ETag": '"e"'})

    client_of(service).put(
        "a b+c.md", io.BytesIO(b"text"), size=4, sha256=hashlib.sha256(b"text").hexdigest(), media_type="text/plain",
        if_none_match=True,
    )  # fmt: skip

    (received,) = service.requests
    assert (received.method, received.path, received.body) == ("PUT", "/cheese/a%20b%2Bc.md", b"text")
    assert received.headers["content-length"] == "4"
    assert received.headers["if-none-match"] == "*"
    assert received.headers["x-amz-content-sha256"] == hashlib.sha256(b"text").hexdigest()
    assert received.headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIA/")
    assert "if-none-match;x-amz-content-sha256" in received.headers["authorization"]
    assert not [name for name in received.headers if "checksum" in name or name == "transfer-encoding"]
    assert "never on the wire" not in str(received)


@pytest.mark.parametrize(
    ("status", "body", "code", "error"),
    [
        (403, ERROR % b"AccessDenied", S3Code.AUTH_FAILED, "AccessDenied"),
        (403, b"<html>a proxy</html>", S3Code.AUTH_FAILED, ""),
        (404, ERROR % b"NoSuchBucket", S3Code.NO_BUCKET, "NoSuchBucket"),
        (404, LAUGHS, S3Code.NOT_FOUND, ""),
        (301, ERROR % b"PermanentRedirect", S3Code.ELSEWHERE, "PermanentRedirect"),
        (400, ERROR % b"AuthorizationHeaderMalformed", S3Code.ELSEWHERE, "AuthorizationHeaderMalformed"),
        (400, ERROR % b"EntityTooLarge", S3Code.REFUSED, "EntityTooLarge"),
        (400, ERROR % b"<b>x</b>", S3Code.REFUSED, ""),
        (409, ERROR % b"ConditionalRequestConflict", S3Code.EXISTS, "ConditionalRequestConflict"),
        (412, ERROR % b"PreconditionFailed", S3Code.EXISTS, "PreconditionFailed"),
        (429, b"", S3Code.RATE_LIMITED, ""),
        (503, ERROR % b"SlowDown", S3Code.RATE_LIMITED, "SlowDown"),
        (500, ERROR % b"InternalError", S3Code.UNAVAILABLE, "InternalError"),
        (502, "ä".encode("latin-1"), S3Code.UNAVAILABLE, ""),
    ],
)
def test_every_answer_has_a_code(service: FakeService, status: int, body: bytes, code: S3Code, error: str) -> None:
    service.answer(status, body=body)

    outcome = client_of(service).put("a", io.BytesIO(b""), size=0, sha256="0" * 64, media_type="text/plain")

    assert (outcome.code, outcome.status, outcome.error) == (code, status, error)


def test_a_copy_that_fails_under_status_200_is_no_success(service: FakeService) -> None:
    service.answer(200, body=ERROR % b"InternalError")
    service.answer(200, body=b"")

    client = client_of(service)

    assert client.copy("a", "b").code is S3Code.UNAVAILABLE
    assert client.copy("a", "b").code is S3Code.MALFORMED


@pytest.mark.parametrize(
    "body",
    [b"", b"{}", LAUGHS, b"<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>"],
)
def test_a_list_that_cannot_be_read_is_no_empty_list(service: FakeService, body: bytes) -> None:
    service.answer(200, body=body)

    listing = client_of(service).list("")

    assert (listing.outcome.code, listing.objects) == (S3Code.MALFORMED, ())


@pytest.mark.parametrize("status", [201, 203, 204, 206])
def test_a_question_is_answered_by_status_200_alone(service: FakeService, status: int) -> None:
    for body in (b"text", b"text", b""):
        service.answer(status, body=b"" if status == 204 else body)
    client = client_of(service)

    answers = [client.hash("a", max_bytes=10).outcome, client.list("").outcome, client.head("a")]

    assert [answer.code for answer in answers] == [S3Code.MALFORMED] * 3


def test_a_connection_that_breaks_after_the_body_leaves_it_unclear(service: FakeService) -> None:
    service.drop_connection()

    with pytest.raises(MaybeSent) as unclear:
        client_of(service).put("a", io.BytesIO(b"text"), size=4, sha256="0" * 64, media_type="text/plain")

    assert unclear.value.code is OutboundCode.CONNECTION_LOST
    assert len(service.requests) == 1


def test_an_answer_that_drips_ends_with_the_time_of_the_exchange(service: FakeService) -> None:
    service.script(dripping(b"HTTP/1.1 200 OK\r\n", 0.05))

    with pytest.raises(MaybeSent) as unclear:
        client_of(service, timeout_s=0.4).head("a")

    assert unclear.value.code is OutboundCode.TIMED_OUT


def test_an_object_that_is_cut_has_no_hash(service: FakeService) -> None:
    service.script(saying(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfive5"))

    with pytest.raises(MaybeSent) as unclear:
        client_of(service).hash("a", max_bytes=1000)

    assert unclear.value.code is OutboundCode.CONNECTION_LOST


def test_an_object_larger_than_expected_is_not_read_to_its_end(service: FakeService) -> None:
    service.endless()

    with pytest.raises(MaybeSent) as unclear:
        client_of(service).hash("a", max_bytes=100_000)

    assert unclear.value.code is OutboundCode.ANSWER_TOO_LARGE


@pytest.mark.parametrize(("content", "said"), [(b"short", 9), (b"much too long", 4)])
def test_a_file_of_another_length_than_was_said_is_not_sent_whole(
    service: FakeService, content: bytes, said: int
) -> None:
    service.handle_with(lambda _: answering(200))

    with pytest.raises(MaybeSent) as broken:
        client_of(service).put("a", io.BytesIO(content), size=said, sha256="0" * 64, media_type="text/plain")

    assert broken.value.code is OutboundCode.BODY_BROKEN
    assert not [received for received in service.requests if len(received.body) == said]


def test_a_refusal_that_comes_while_the_body_is_sent_is_read(service: FakeService) -> None:
    service.handle_with(lambda _: answering(403, body=ERROR % b"AccessDenied"))
    content = b"x" * 3_000_000

    outcome = client_of(service).put(
        "a", io.BytesIO(content), size=len(content), sha256="0" * 64, media_type="text/plain"
    )

    assert outcome.code is S3Code.AUTH_FAILED


MEMORY = """
import hashlib, resource, sys, tempfile
import django
django.setup()
from django.conf import settings
from bakedbrie.lib.s3.bucket import Bucket
from bakedbrie.lib.s3.client import S3
from bakedbrie.lib.sealing import Secret
endpoint, name, key_id = sys.argv[1:4]
settings.OUTBOUND_LOOPBACK = [endpoint.partition("://")[2]]
bucket = Bucket(endpoint=endpoint, region="us-east-1", name=name, access_key_id=key_id)
client = S3(bucket, Secret(sys.stdin.readline().strip()), timeout_s=120)
size, digest = 45 * 2**20, hashlib.sha256()
with tempfile.TemporaryFile() as file:
    for number in range(45):
        piece = bytes([number]) * 2**20
        digest.update(piece)
        file.write(piece)
    client.head("warm")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    file.seek(0)
    sha256 = digest.hexdigest()
    assert client.put("big", file, size=size, sha256=sha256, media_type="video/mp4").is_ok
    hashed = client.hash("big", max_bytes=size)
assert (hashed.bytes, hashed.sha256) == (size, sha256)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
MOST_GROWTH_KIB = 12 * 1024


def test_forty_five_megabytes_go_out_and_come_back_without_being_held(nanio_server: S3Server) -> None:
    bucket = nanio_server.new_bucket()
    arguments = [nanio_server.endpoint, bucket.name, nanio_server.access_key_id]
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}

    done = subprocess.run(
        [sys.executable, "-c", MEMORY, *arguments],
        input=nanio_server.secret,
        env=environment,
        text=True,
        capture_output=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < MOST_GROWTH_KIB
