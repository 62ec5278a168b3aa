"""Our requests at two S3 servers that check signatures: what is written lies there, is read, moved and removed."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.test import override_settings

from bakedbrie.lib.outbound.errors import NotSent, OutboundCode
from bakedbrie.lib.s3.answers import Outcome, S3Code
from bakedbrie.lib.s3.client import S3
from bakedbrie.lib.sealing import Secret
from tests.s3.conftest import Place
from tests.support.buckets import S3Server

TEXT = "Bread, brie and grapes: für alle.\n".encode()
HOSTILE_KEYS = [
    "board/2026-11-30-größe-ab12cd.md",
    "报告/हिन्दी.md",
    "a+b c.txt",
    "x%2Fy",
    "plan+v2 [1].pdf",
    "=cmd|' /C calc'!A0",
    "q?a=1&b=2#part",
    "a~b_c-d.e(f)!*'",
    "emoji-🎉.md",
]


def put(place: Place, key: str, content: bytes = TEXT, *, if_none_match: bool = False) -> Outcome:
    return place.ours.put(
        key,
        io.BytesIO(content),
        size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        media_type="text/markdown",
        if_none_match=if_none_match,
    )


@pytest.mark.requirement("C051")
@pytest.mark.parametrize("key", HOSTILE_KEYS)
def test_the_key_that_is_stored_is_the_key_byte_for_byte(place: Place, key: str) -> None:
    if "%" in key and not place.server.takes_percent_signs:
        pytest.skip("nanio unescapes such a key twice, also for boto3")

    outcome = put(place, key)

    assert outcome.code is S3Code.OK
    assert place.server.keys(place.bucket) == [key]
    assert place.server.read(place.bucket, key) == TEXT
    assert [one.key for one in place.ours.list("").objects] == [key]


def test_what_is_put_is_told_by_a_look_at_it(place: Place) -> None:
    written = put(place, "a.md")

    looked = place.ours.head("a.md")

    assert looked.code is S3Code.OK
    assert (looked.bytes, looked.media_type) == (len(TEXT), "text/markdown")
    assert looked.sha256 == hashlib.sha256(TEXT).hexdigest()
    assert looked.etag == written.etag != ""


def test_an_object_is_read_in_pieces_and_hashed(place: Place) -> None:
    content = bytes(range(256)) * 4096
    put(place, "big", content)

    hashed = place.ours.hash("big", max_bytes=2_000_000)
    with place.ours.get("big", max_bytes=2_000_000) as opened:
        first = next(opened.chunks)

    assert (hashed.bytes, hashed.sha256) == (len(content), hashlib.sha256(content).hexdigest())
    assert len(first) < len(content)
    assert content.startswith(first)


def test_what_is_not_there_is_said_not_to_be_there(place: Place) -> None:
    assert place.ours.head("nothing").code is S3Code.NOT_FOUND
    assert place.ours.hash("nothing", max_bytes=1000).outcome.code is S3Code.NOT_FOUND
    assert place.ours.copy("nothing", "else").code is S3Code.NOT_FOUND
    assert place.ours.delete("nothing").code is S3Code.OK


def test_an_object_is_copied_with_its_hash_and_then_removed(place: Place) -> None:
    put(place, "Needs review/größe + a.md")

    copied = place.ours.copy("Needs review/größe + a.md", "Approved/größe + a.md")
    removed = place.ours.delete("Needs review/größe + a.md")

    assert (copied.code, removed.code) == (S3Code.OK, S3Code.OK)
    assert place.server.keys(place.bucket) == ["Approved/größe + a.md"]
    assert place.ours.head("Approved/größe + a.md").sha256 == hashlib.sha256(TEXT).hexdigest()


def test_a_list_is_read_page_by_page(place: Place) -> None:
    for number in range(5):
        put(place, f"in/{number}.txt")
    put(place, "out/x.txt")

    keys, cursor = [], ""
    for _ in range(3):
        listing = place.ours.list("in/", cursor=cursor, limit=2)
        keys.append([one.key for one in listing.objects])
        cursor = listing.cursor

    assert keys == [["in/0.txt", "in/1.txt"], ["in/2.txt", "in/3.txt"], ["in/4.txt"]]
    assert cursor == ""
    assert (listing.objects[0].bytes, listing.objects[0].etag) == (len(TEXT), place.ours.head("in/4.txt").etag)
    assert listing.objects[0].changed_at is not None


def test_an_empty_object_can_be_written(place: Place) -> None:
    assert put(place, "Inbox/.keep", b"").code is S3Code.OK
    assert place.ours.head("Inbox/.keep").bytes == 0


def test_a_wrong_secret_writes_nothing(place: Place) -> None:
    stranger = replace(place, ours=S3(place.bucket, Secret("wrong" * 8), timeout_s=20))

    written = put(stranger, "a.md")

    assert (written.code, written.status, written.error) == (S3Code.AUTH_FAILED, 403, "SignatureDoesNotMatch")
    assert stranger.ours.head("a.md").code is S3Code.AUTH_FAILED
    assert stranger.ours.list("").outcome.code is S3Code.AUTH_FAILED
    assert place.server.keys(place.bucket) == []


def test_an_unknown_key_writes_nothing(place: Place) -> None:
    bucket = replace(place.bucket, access_key_id="AKIANOBODY")
    stranger = replace(place, ours=S3(bucket, place.server.key(), timeout_s=20))

    written = put(stranger, "a.md")

    assert (written.code, written.error) == (S3Code.AUTH_FAILED, "InvalidAccessKeyId")
    assert place.server.keys(place.bucket) == []


def test_a_bucket_that_is_missing_is_named_as_such(place: Place) -> None:
    bucket = place.server.bucket("there-is-no-such-bucket")
    lost = replace(place, ours=S3(bucket, place.server.key(), timeout_s=20))

    assert put(lost, "a.md").code is S3Code.NO_BUCKET
    assert lost.ours.list("").outcome.code is S3Code.NO_BUCKET


@pytest.fixture
def conditional(moto_server: S3Server) -> Iterator[Place]:
    """A bucket of moto, which knows If-None-Match; nanio does not."""
    bucket = moto_server.new_bucket()
    with override_settings(OUTBOUND_LOOPBACK=[moto_server.pair]):
        yield Place(server=moto_server, bucket=bucket, ours=S3(bucket, moto_server.key(), timeout_s=20))


def test_a_service_that_knows_the_condition_never_writes_over_anything(conditional: Place) -> None:
    conditional.server.write(conditional.bucket, "a.md", b"somebody else's")

    outcome = put(conditional, "a.md", if_none_match=True)
    new = put(conditional, "b.md", if_none_match=True)

    assert (outcome.code, new.code) == (S3Code.EXISTS, S3Code.OK)
    assert conditional.server.read(conditional.bucket, "a.md") == b"somebody else's"


def test_an_object_that_did_not_change_is_not_sent_again(conditional: Place) -> None:
    etag = put(conditional, "a.md").etag

    same = conditional.ours.hash("a.md", max_bytes=1000, if_none_match=etag)
    put(conditional, "a.md", b"another text")
    other = conditional.ours.hash("a.md", max_bytes=1000, if_none_match=etag)

    assert (same.outcome.code, same.sha256) == (S3Code.UNCHANGED, "")
    assert other.sha256 == hashlib.sha256(b"another text").hexdigest()


def test_a_server_on_this_machine_is_asked_only_where_the_operator_listed_it(moto_server: S3Server) -> None:
    bucket = moto_server.new_bucket()

    with pytest.raises(NotSent) as refused:
        S3(bucket, moto_server.key(), timeout_s=20).head("a.md")

    assert refused.value.code is OutboundCode.ADDRESS_REFUSED
