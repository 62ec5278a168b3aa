"""The small pure parts: ids, clock, hashes, states, refusals, strict JSON, messages, unpacking."""

from __future__ import annotations

import gzip
import json
import math
import uuid
import zlib
from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakedbrie.lib import clock, ids, strictjson
from bakedbrie.lib.hashing import canonical_hash, text_hash
from bakedbrie.lib.outbound.errors import MaybeSent, NotSent, OutboundCode, OutboundError
from bakedbrie.lib.outbound.messages import Answer, Request
from bakedbrie.lib.outbound.unpacking import CannotUnpack, Unpacker, coding_of
from bakedbrie.lib.refusals import NOT_FOUND, RATE_LIMITED, REFUSALS, Refused
from bakedbrie.lib.states import machine

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(alphabet=st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(alphabet=st.characters(codec="utf-8")), inner, max_size=4)
    ),
    max_leaves=12,
)


def test_ids_are_sorted_by_the_time_they_were_made() -> None:
    made = [ids.new_id() for _ in range(500)]

    assert made == sorted(made)
    assert {one.version for one in made} == {7}


def test_a_secret_is_long_and_different_each_time() -> None:
    first, second = ids.new_secret("bb_"), ids.new_secret("bb_")

    assert first != second
    assert (first[:3], len(first)) == ("bb_", 46)


@given(st.uuids())
def test_an_id_is_read_back_in_either_case(one: uuid.UUID) -> None:
    assert ids.parse_id(str(one)) == ids.parse_id(str(one).upper()) == ids.parse_id(one) == one


@pytest.mark.parametrize(
    "text",
    [
        None,
        7,
        "",
        "x" * 36,
        "0192f0c1-0000-7000-8000-00000000000",
        "{0192f0c1000070008000000000000000-}",
        "0192f0c1000070008000000000000000----",
        "0192f0c1-0000-7000-8000-0000000_0000",
        "0192f0c1-0000-7000-8000-00000000000０",
    ],
)
def test_a_misspelt_id_is_nobodys(text: object) -> None:
    assert ids.parse_id(text) == ids.NOBODY


def test_an_instant_is_told_in_utc_to_the_millisecond() -> None:
    instant = datetime(2026, 11, 30, 1, 2, 3, 456_789, tzinfo=timezone(timedelta(hours=2)))

    assert clock.to_text(instant) == "2026-11-29T23:02:03.456Z"
    assert clock.now().tzinfo is UTC


@given(JSON)
def test_a_hash_does_not_depend_on_the_order_of_keys(value: object) -> None:
    assert canonical_hash("preview", value) == canonical_hash("preview", _reversed(value))


def _reversed(value: object) -> object:
    if isinstance(value, dict):
        return {key: _reversed(item) for key, item in reversed(value.items())}
    return [_reversed(item) for item in value] if isinstance(value, list) else value


@given(JSON, JSON)
def test_different_values_and_purposes_have_different_hashes(one: object, other: object) -> None:
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)

    assert (canonical_hash("a", one) == canonical_hash("a", other)) is same
    assert canonical_hash("a", one) != canonical_hash("b", one)


def test_a_hash_is_known_text() -> None:
    assert text_hash("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert canonical_hash("move", {"b": 1, "a": [True, None]}) == text_hash('move\n{"a":[true,null],"b":1}')


class Light(StrEnum):
    RED = "red"
    GREEN = "green"
    OFF = "off"


def test_a_machine_knows_what_may_follow_what() -> None:
    light = machine({Light.RED: [Light.GREEN, Light.OFF], Light.GREEN: [Light.RED], Light.OFF: []})

    assert light.allows(Light.RED, Light.GREEN) is True
    assert light.allows(Light.OFF, Light.RED) is False


def test_a_machine_refuses_a_target_without_a_row() -> None:
    with pytest.raises(ValueError, match="off"):
        machine({Light.RED: [Light.OFF]})


def test_a_refusal_tells_code_fix_and_details() -> None:
    refused = RATE_LIMITED(seconds=3)

    assert refused.body() == {
        "code": "RATE_LIMITED",
        "message": RATE_LIMITED.message,
        "fix": RATE_LIMITED.fix,
        "retryable": True,
        "seconds": 3,
    }


def test_a_refusal_can_be_raised_compared_and_put_in_a_set() -> None:
    with pytest.raises(Refused) as caught:
        raise NOT_FOUND("No such card.")

    assert caught.value.code == "NOT_FOUND"
    assert str(caught.value) == "NOT_FOUND: No such card."
    assert {caught.value} == {caught.value}


def test_details_never_replace_the_code() -> None:
    assert NOT_FOUND(code="HTTP_404").body()["code"] == "NOT_FOUND"


def test_every_shared_refusal_has_its_own_code_and_says_what_to_do() -> None:
    assert len({refusal.code for refusal in REFUSALS}) == len(REFUSALS)
    assert all(refusal.fix and 400 <= refusal.status < 600 for refusal in REFUSALS)


@given(JSON)
def test_strict_json_reads_what_json_writes(value: object) -> None:
    assert strictjson.loads(json.dumps(value), unique_keys=True) == value
    assert strictjson.loads(b"\xef\xbb\xbf" + json.dumps(value).encode()) == value


@pytest.mark.requirement("C062")
@pytest.mark.parametrize(
    "text",
    [
        b"\xff",
        b"",
        "[1",
        "[" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 5000 + "1" + "}" * 5000,
        "NaN",
        "9" * 5000,
    ],
)
def test_strict_json_refuses_everything_else_in_one_way(text: str | bytes) -> None:
    with pytest.raises(strictjson.NotJson):
        strictjson.loads(text)


def test_a_key_given_twice_is_refused_only_when_asked() -> None:
    assert strictjson.loads('{"a": 1, "a": 2}') == {"a": 2}
    with pytest.raises(strictjson.NotJson):
        strictjson.loads('{"a": 1, "a": 2}', unique_keys=True)


def request(**changes: object) -> Request:
    parts: dict[str, object] = {"method": "GET", "url": "https://example.com/", "timeout_s": 1.0, "max_bytes": 1}
    return Request(**{**parts, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changes",
    [
        {"method": "GET /x"},
        {"method": ""},
        {"timeout_s": 0},
        {"timeout_s": -1.0},
        {"timeout_s": math.inf},
        {"timeout_s": math.nan},
        {"max_bytes": 0},
        {"headers": (("X", "a\r\nY: b"),)},
        {"headers": (("X", "a\nb"),)},
        {"headers": (("X", "ä"),)},
        {"headers": (("X", " a"),)},
        {"headers": (("X: y", "a"),)},
        {"headers": (("", "a"),)},
        {"headers": (("Host", "evil.test"),)},
        {"headers": (("content-length", "5"),)},
        {"headers": (("Transfer-Encoding", "chunked"),)},
        {"headers": (("Accept-Encoding", "br"),)},
    ],
)
def test_a_request_that_would_say_something_else_on_the_wire_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"method|timeout_s|max_bytes|header"):
        request(**changes)


def test_a_request_shows_neither_address_nor_headers_nor_body() -> None:
    shown = repr(request(url="https://example.com/secret", headers=(("X", "secret"),), body=b"secret"))

    assert shown == "Request(method='GET', timeout_s=1.0, max_bytes=1)"


def test_an_answer_finds_headers_in_any_case_and_reads_json() -> None:
    answer = Answer(status=200, headers=(("X-One", "1"), ("x-one", "2")), body=b'{"a": 1}')

    assert (answer.header("X-ONE"), answer.header("X-Two"), answer.json()) == ("1", None, {"a": 1})
    assert repr(answer) == "Answer(status=200)"
    with pytest.raises(ValueError, match="JSON"):
        Answer(status=200, body=b"<html>").json()


@pytest.mark.parametrize("kind", [NotSent, MaybeSent])
@pytest.mark.parametrize("code", OutboundCode)
def test_an_error_tells_its_code_and_the_host_alone(kind: type[OutboundError], code: OutboundCode) -> None:
    assert str(kind(code, "example.com")).startswith(f"{code.value}: ")
    assert str(kind(code, "example.com")).endswith(" (example.com).")
    assert str(kind(code)).endswith(".")


@given(st.binary(max_size=2000), st.sampled_from(["gzip", "deflate", "raw"]), st.integers(1, 50))
def test_a_packed_body_unpacks_however_it_is_cut(body: bytes, coding: str, step: int) -> None:
    packer = zlib.compressobj(wbits={"gzip": 31, "deflate": 15, "raw": -15}[coding])
    packed = packer.compress(body) + packer.flush()
    unpacker = Unpacker("gzip" if coding == "gzip" else "deflate")

    pieces = [piece for at in range(0, len(packed), step) for piece in unpacker.feed(packed[at : at + step])]
    unpacker.finish()

    assert b"".join(pieces) == body


@given(st.binary(max_size=200))
def test_no_bytes_break_the_unpacker_in_another_way(body: bytes) -> None:
    for coding in ("gzip", "deflate"):
        unpacker = Unpacker(coding)
        try:
            list(unpacker.feed(body))
            unpacker.finish()
        except CannotUnpack:
            continue


def test_pieces_are_small_however_much_a_body_unpacks_to() -> None:
    packed = gzip.compress(bytes(10_000_000))

    sizes = [len(piece) for piece in Unpacker("gzip").feed(packed)]

    assert sum(sizes) == 10_000_000
    assert max(sizes) <= 65_536


@pytest.mark.parametrize("value", ["br", "zstd", "compress", "gzip, br", "gzip,gzip", "deflate, gzip"])
def test_another_coding_is_refused(value: str) -> None:
    with pytest.raises(CannotUnpack):
        coding_of((("Content-Encoding", value),))


@pytest.mark.parametrize(
    ("value", "coding"),
    [("", ""), ("identity", ""), ("GZIP", "gzip"), ("x-gzip", "gzip"), ("identity, deflate", "deflate")],
)
def test_a_taken_coding_is_named(value: str, coding: str) -> None:
    assert coding_of((("content-encoding", value), ("X", "br"))) == coding
