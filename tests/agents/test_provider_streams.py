"""What a streamed answer means: the same as a whole one, however it is cut, and nothing when it breaks off."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.providers import KINDS
from agents.providers.base import Reply, Usage, storable
from agents.providers.outcomes import AiCode
from agents.providers.streams import StreamReader, is_stream
from tests.support.fake_streams import DONE, KEEP_ALIVE, late_error, stream_of

WIRES = ("anthropic", "openai", "openai_compatible")
CUT = {"anthropic": "max_tokens", "openai": "max_output_tokens", "openai_compatible": "length"}
DECLINED = {"anthropic": "refusal", "openai": "content_filter", "openai_compatible": "content_filter"}
ID = {"anthropic": (("request-id", "req_1"),), "openai": (("X-Request-Id", "req_1"),)}


def reader_of(wire: str) -> StreamReader:
    return StreamReader(KINDS[wire].events(ID.get(wire, (("x-request-id", "req_1"),))))


def read(wire: str, *chunks: bytes) -> tuple[Reply | None, str]:
    """Return what the answer means, and the text as it came while it ran."""
    reader = reader_of(wire)
    live = "".join(reader.feed(chunk) for chunk in chunks) + reader.finish()
    return reader.reply(), live


def event(body: object) -> bytes:
    return b"data: " + json.dumps(body).encode() + b"\n\n"


@pytest.mark.requirement("C080")
@pytest.mark.parametrize("wire", WIRES)
@given(text=st.text(min_size=1, max_size=40), places=st.lists(st.integers(0, 5000), max_size=30))
def test_a_stream_means_the_same_wherever_it_is_cut(wire: str, text: str, places: list[int]) -> None:
    text = text.encode(errors="replace").decode()
    raw = b"".join(stream_of(wire, text))
    edges = [0, *sorted(place % len(raw) for place in places), len(raw)]

    reply, live = read(wire, *(raw[start:end] for start, end in pairwise(edges)))

    assert live == text
    assert reply is not None
    assert reply.text == storable(text)
    assert reply.code == (AiCode.DONE if storable(text).strip() else AiCode.ANSWER_EMPTY)
    assert (reply.usage, reply.request_id, reply.http_status) == (Usage(read=1200, written=300), "req_1", 200)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(("stops", "code"), [(CUT, AiCode.CUT_SHORT), (DECLINED, AiCode.REFUSED)])
def test_why_it_stopped_is_kept(wire: str, stops: dict[str, str], code: AiCode) -> None:
    reply, _ = read(wire, *stream_of(wire, "Half a sen", stop=stops[wire]))

    assert reply is not None
    assert (reply.code, reply.text, reply.stop_reason) == (code, "Half a sen", stops[wire])


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("text", ["", " \n"])
def test_a_stream_without_text_is_an_empty_answer(wire: str, text: str) -> None:
    reply, _ = read(wire, *stream_of(wire, text))

    assert reply is not None
    assert reply.code == AiCode.ANSWER_EMPTY


@pytest.mark.requirement("C080")
@pytest.mark.parametrize("wire", WIRES)
def test_a_stream_that_breaks_off_anywhere_before_its_end_is_no_answer(wire: str) -> None:
    raw = b"".join(stream_of(wire, "Finished work."))
    last = {"anthropic": b"event: message_stop", "openai": b"event: response.completed"}
    end = raw.index(last[wire]) if wire in last else raw.index(b'"finish_reason": "stop"')

    replies = {read(wire, raw[:length])[0] for length in range(0, end, 7)}

    assert replies == {None}


@pytest.mark.requirement("C080")
@pytest.mark.parametrize("wire", WIRES)
def test_an_answer_that_lacks_only_its_last_line_end_is_whole(wire: str) -> None:
    raw = b"".join(stream_of(wire, "Finished work."))

    replies = [read(wire, raw.removesuffix(end))[0] for end in (b"\n", b"\n\n")]

    assert [reply.text for reply in replies if reply and reply.code is AiCode.DONE] == ["Finished work."] * 2


@pytest.mark.requirement("C080")
@pytest.mark.parametrize("wire", WIRES)
def test_what_comes_after_the_end_changes_nothing(wire: str) -> None:
    events = stream_of(wire, "Finished work.")
    reader = reader_of(wire)

    live = [reader.feed(one) for one in [*events, events[-1], *events, late_error(wire)]]

    reply = reader.reply()
    assert reply is not None
    assert (reply.code, reply.text, "".join(live)) == (AiCode.DONE, "Finished work.", "Finished work.")


@pytest.mark.requirement("C078", "C080")
@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("before", [0, 5])
def test_an_error_within_the_stream_has_its_code_and_keeps_what_was_written(wire: str, before: int) -> None:
    reply, live = read(wire, *stream_of(wire, "Finished work. " * 9)[:before], late_error(wire))

    assert reply is not None
    assert (reply.code, reply.text, reply.usage) == (AiCode.OVERLOADED, live, None)
    assert bool(live) is bool(before)


def test_a_response_that_fails_or_wraps_its_error_has_the_code_of_the_error() -> None:
    failed = {"object": "response", "status": "failed", "error": {"code": "insufficient_quota", "message": "x"}}
    wrapped = {"type": "error", "error": {"type": "tokens", "code": "rate_limit_exceeded"}}

    replies = [read("openai", event(one))[0] for one in ({"type": "response.failed", "response": failed}, wrapped)]

    assert [reply and reply.code for reply in replies] == [AiCode.QUOTA_EXHAUSTED, AiCode.RATE_LIMITED]


@pytest.mark.parametrize("wire", WIRES)
def test_signs_of_life_alone_are_no_answer(wire: str) -> None:
    reader = reader_of(wire)

    texts = [reader.feed(KEEP_ALIVE[wire]) for _ in range(50)]

    assert (set(texts), reader.finish(), reader.reply(), reader.usage) == ({""}, "", None, None)


@pytest.mark.parametrize("wire", WIRES)
@given(raw=st.binary(max_size=80) | st.text('{}[]":,data etypoi\n', max_size=80).map(str.encode))
def test_nothing_that_comes_raises(wire: str, raw: bytes) -> None:
    assert read(wire, raw)[0] is None


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    "odd",
    [
        [],
        {"type": 5},
        {"choices": "x", "usage": []},
        {"choices": [5], "usage": {"prompt_tokens": "many"}},
        {"choices": [{"delta": [], "finish_reason": {}}]},
        {"type": "message_start", "message": {"usage": 7}},
        {"type": "content_block_delta", "delta": "text"},
        {"type": "response.completed", "response": None},
        {"type": "response.output_text.delta", "delta": {"text": "x"}},
    ],
)
def test_odd_events_are_passed_over(wire: str, odd: object) -> None:
    events = stream_of(wire, "Finished work.")

    reply, _ = read(wire, events[0], event(odd), b"data: no json\n\n", *events[1:])

    assert reply is not None
    assert (reply.code, reply.text) == (AiCode.DONE, "Finished work.")


def test_thinking_is_no_part_of_the_answer() -> None:
    claude = stream_of("anthropic", "Done.")
    thought = event({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}})
    local = event({"choices": [{"index": 0, "delta": {"reasoning_content": "hm"}, "finish_reason": None}]})

    replies = [
        read("anthropic", claude[0], thought, *claude[1:]),
        read("openai_compatible", local, *stream_of("openai_compatible", "Done.")),
    ]

    assert [(reply and reply.text, live) for reply, live in replies] == [("Done.", "Done.")] * 2


def test_a_service_that_counts_nothing_and_says_no_done_still_finishes() -> None:
    head = {"id": "c1", "choices": [{"index": 0, "delta": {"content": "Done."}, "finish_reason": "stop"}]}

    reply, _ = read("openai_compatible", event(head))

    assert reply is not None
    assert (reply.code, reply.text, reply.usage) == (AiCode.DONE, "Done.", None)
    assert read("openai_compatible", DONE)[0] is None


def test_a_refusal_in_pieces_is_a_refusal() -> None:
    parts = [{"index": 0, "delta": {"refusal": word}, "finish_reason": None} for word in ("I ", "will not.")]
    last = {"index": 0, "delta": {}, "finish_reason": "stop"}

    reply, live = read("openai_compatible", *(event({"choices": [choice]}) for choice in (*parts, last)), DONE)

    assert reply is not None
    assert (reply.code, live) == (AiCode.REFUSED, "")


def test_a_response_whose_end_leaves_the_text_out_keeps_what_came() -> None:
    *events, last = stream_of("openai", "Finished work.")
    end = json.loads(last.partition(b"data: ")[2])
    end["response"]["output"] = []

    reply, _ = read("openai", *events, event(end))

    assert reply is not None
    assert (reply.code, reply.text) == (AiCode.DONE, "Finished work.")


def test_the_counts_at_the_beginning_are_no_usage() -> None:
    events = stream_of("anthropic", "Finished work.")
    reader = reader_of("anthropic")

    usages = []
    for one in events:
        reader.feed(one)
        usages.append(reader.usage)

    assert usages[:-2] == [None] * (len(events) - 2)
    assert usages[-2:] == [Usage(read=1200, written=300)] * 2


@pytest.mark.requirement("C062")
@pytest.mark.parametrize("wire", WIRES)
def test_an_event_that_is_nested_without_end_is_passed_over(wire: str) -> None:
    events = stream_of(wire, "Finished work.")
    bombs = [b"data: " + b"[" * 100_000 + b"\n\n", b"data: " + b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"\n\n"]

    reply, _ = read(wire, events[0], *bombs, *events[1:])

    assert reply is not None
    assert (reply.code, reply.text) == (AiCode.DONE, "Finished work.")


@pytest.mark.requirement("C060")
def test_two_halves_of_a_character_in_two_pieces_are_one() -> None:
    halves = [
        b'data: {"choices": [{"index": 0, "delta": {"content": "a\\ud83d"}}]}\n\n',
        b'data: {"choices": [{"index": 0, "delta": {"content": "\\ude00b"}, "finish_reason": "stop"}]}\n\n',
    ]

    reply, _ = read("openai_compatible", *halves)

    assert reply is not None
    assert reply.text == "a\U0001f600b"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("text/event-stream", True),
        ("Text/Event-Stream; charset=utf-8", True),
        ("application/json", False),
        ("", False),
    ],
)
def test_events_are_known_by_their_type(kind: str, expected: bool) -> None:
    assert is_stream((("Content-Type", kind),)) is expected
    assert not is_stream(())
