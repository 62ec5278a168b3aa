"""Server-sent events, however the bytes are cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakedbrie.lib.sse import SseEvent, SseReader

# Texts that hold no line end; half surrogates are not UTF-8.
LINES = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=12)
NAMES = LINES.map(lambda text: "n" + text)
EVENTS = st.lists(st.tuples(st.none() | NAMES, st.lists(LINES, min_size=1, max_size=3)), max_size=5)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])
NOISE = st.sampled_from(["", ": ping", ":", "id: 7", "retry: 10", "unknown", "datax: no"])


def read(*chunks: bytes) -> list[tuple[str, str]]:
    reader = SseReader()
    return [(event.name, event.data) for chunk in chunks for event in reader.feed(chunk)]


def cut(raw: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(raw) + 1) for place in places), len(raw)]
    return [raw[start:end] for start, end in pairwise(edges)]


@given(events=EVENTS, end=ENDS, noise=NOISE, has_bom=st.booleans(), places=st.lists(st.integers(0, 10_000)))
def test_events_come_out_as_they_went_in_wherever_the_bytes_are_cut(
    events: list[tuple[str | None, list[str]]], end: str, noise: str, has_bom: bool, places: list[int]
) -> None:
    text = "\ufeff" if has_bom else ""
    for name, lines in events:
        parts = [noise] if noise else []
        parts += [f"event: {name}"] if name is not None else []
        parts += [f"data: {line}" for line in lines]
        text += "".join(part + end for part in [*parts, ""])

    found = read(*cut(text.encode(), places))

    assert found == [(name if name is not None else "message", "\n".join(lines)) for name, lines in events]


@given(
    raw=st.binary(max_size=60) | st.text("da:t \r\n\ufeffé", max_size=60).map(str.encode),
    places=st.lists(st.integers(0, 60)),
)
def test_no_bytes_are_refused_and_cuts_change_nothing(raw: bytes, places: list[int]) -> None:
    assert read(*cut(raw, places)) == read(raw)


@pytest.mark.parametrize(
    ("raw", "events"),
    [
        (b"data: a\r\rdata: b\n\n", [("message", "a"), ("message", "b")]),
        (b"data:a\r\n\r\n", [("message", "a")]),
        (b"data:  a\n\n", [("message", " a")]),
        (b"data\n\n", [("message", "")]),
        (b"event: ping\n\n", []),
        (b"event: a\nevent: b\ndata: x\n\ndata: y\n\n", [("b", "x"), ("message", "y")]),
        (b"\n\n\n: hello\n\n", []),
        (b"data: {\ndata: }\n\n", [("message", "{\n}")]),
        ("data: a\u2028b\x0bc\x85d\n\n".encode(), [("message", "a\u2028b\x0bc\x85d")]),
        (b"data: \xff\xfe\n\n", [("message", "\ufffd\ufffd")]),
        (b"data: a\n", []),
        (b"", []),
    ],
)
def test_the_standard_is_followed_to_the_letter(raw: bytes, events: list[tuple[str, str]]) -> None:
    assert read(raw) == events
    assert read(*[raw[place : place + 1] for place in range(len(raw))]) == events


@pytest.mark.parametrize(
    ("raw", "last"),
    [
        (b"data: a\n", SseEvent(name="message", data="a")),
        (b"event: stop\ndata: {}", SseEvent(name="stop", data="{}")),
        (b"data: a\r\n\r", None),
        (b"data: a\n\n", None),
        (b"data: caf\xc3", SseEvent(name="message", data="caf\ufffd")),
        (b": bye", None),
    ],
)
def test_what_only_lacks_its_empty_line_can_be_asked_for_at_the_end(raw: bytes, last: SseEvent | None) -> None:
    reader = SseReader()
    list(reader.feed(raw))

    assert reader.finish() == last
    assert reader.finish() is None


def test_a_long_line_in_many_pieces_is_put_together_once() -> None:
    reader = SseReader()

    found = [event for piece in [b"data: ", *[b"x" * 1000] * 2000, b"\n\n"] for event in reader.feed(piece)]

    assert [len(event.data) for event in found] == [2_000_000]


def test_an_event_shows_nothing_of_its_data() -> None:
    assert "secret" not in repr(SseEvent(name="message", data="secret"))
