"""The lines of a turn at work: how often they are written, what they cost, and that they harm nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.calls import transcript
from agents.calls.hosted import run_turn
from agents.calls.transcript import StopAsked, TranscriptWriter
from agents.models import Turn, TurnLine
from agents.selectors import Transcript, lines_after, transcript_of
from agents.services.turns import request_stop
from agents.states import TurnState
from bakedbrie.lib import clock
from bakedbrie.lib.redact import Redactor
from tests.agents.conftest import Desk
from tests.support.fake_provider import FakeProvider

pytestmark = pytest.mark.django_db


@dataclass
class Seconds:
    """A clock that the test moves."""

    now: float = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> Seconds:
    moved = Seconds()
    monkeypatch.setattr(transcript, "time", moved)
    return moved


@pytest.fixture
def turn(paid_desk: Desk) -> Turn:
    return paid_desk.queue()


def statements_of(step: Callable[[], None]) -> int:
    with CaptureQueriesContext(connection) as seen:
        step()
    return len(seen)


def hints() -> list[dict[str, object]]:
    """Return the hints that wait for the end of the test's transaction."""
    calls = [entry[1] for entry in connection.run_on_commit]
    return [json.loads(call.args[1]) for call in calls if isinstance(getattr(call, "args", ("",))[-1], str)]  # type: ignore[attr-defined]  # partials


def test_a_line_is_written_at_most_once_a_second(turn: Turn, seconds: Seconds) -> None:
    writer = TranscriptWriter(turn, Redactor([]))

    for step in range(31):
        seconds.now = step / 10
        writer.hear(f"{step} ")

    lines = [(line.seq, line.text) for line in lines_after(turn, 0)]
    assert [seq for seq, _ in lines] == [1, 2, 3]
    assert [len(text.split()) for _, text in lines] == [11, 10, 10]
    assert "".join(text for _, text in lines).split() == [str(step) for step in range(31)]


def test_a_second_of_work_costs_two_statements_and_a_second_of_silence_one(turn: Turn, seconds: Seconds) -> None:
    writer = TranscriptWriter(turn, Redactor([]))

    too_soon = statements_of(lambda: writer.hear("One "))
    seconds.now = 1.0
    with_text = statements_of(lambda: writer.hear("two."))
    seconds.now = 2.0
    silent = statements_of(writer.look)

    assert (too_soon, with_text, silent) == (0, 2, 1)
    assert [line.text for line in lines_after(turn, 0)] == ["One two."]


def test_each_line_tells_open_pages_to_look_again(paid_desk: Desk, turn: Turn, seconds: Seconds) -> None:
    connection.run_on_commit.clear()
    writer = TranscriptWriter(turn, Redactor([]))

    for second in (1.0, 2.0):
        seconds.now = second
        writer.hear("x")

    hint = {"board": str(paid_desk.board.pk), "card": str(paid_desk.card.pk), "kind": "turn_line"}
    assert hints() == [hint, hint]


def test_a_stop_is_raised_at_the_next_look_and_not_before(paid_desk: Desk, turn: Turn, seconds: Seconds) -> None:
    Turn.objects.filter(pk=turn.pk).update(state=TurnState.SENDING)
    writer = TranscriptWriter(turn, Redactor([]))
    request_stop(paid_desk.caller, turn=turn)

    writer.hear("x")
    seconds.now = 1.0

    with pytest.raises(StopAsked):
        writer.look()
    assert not TurnLine.objects.exists()


@pytest.mark.requirement("C060")
def test_a_line_holds_nothing_that_the_database_refuses(turn: Turn, seconds: Seconds) -> None:
    writer = TranscriptWriter(turn, Redactor([]))
    seconds.now = 1.0

    writer.hear("a\x00b\ud800c")

    assert [line.text for line in lines_after(turn, 0)] == ["ab\ufffdc"]


def test_a_transcript_without_end_is_not_kept_without_end(turn: Turn, seconds: Seconds) -> None:
    writer = TranscriptWriter(turn, Redactor([]))

    for second in range(1, 6):
        seconds.now = float(second)
        writer.hear("x" * 60_000)

    assert [len(line.text) for line in lines_after(turn, 0)] == [60_000, 60_000, 60_000, 20_000]


@pytest.mark.django_db(transaction=True)
def test_a_line_that_cannot_be_written_harms_nothing(
    paid_desk: Desk, service: FakeProvider, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(transcript, "EVERY_S", 0.0)
    service.reply("Finished work, after a while.")
    turn = paid_desk.queue()
    TurnLine.objects.create(turn=turn, seq=1, text="in the way")

    run_turn(turn.pk)

    turn.refresh_from_db()
    assert (turn.state, turn.reply) == (TurnState.DONE, "Finished work, after a while.")
    assert [line.text for line in TurnLine.objects.all()] == ["in the way"]
    assert "The transcript of a turn is behind" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_a_database_that_was_away_for_a_moment_harms_nothing(turn: Turn, seconds: Seconds) -> None:
    writer = TranscriptWriter(turn, Redactor([]))
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        pid = cursor.fetchone()[0]
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
    other.close()

    for second, piece in enumerate(["Lost ", "and ", "found."], start=1):
        seconds.now = float(second)
        writer.hear(piece)

    assert "".join(line.text for line in lines_after(turn, 0)) == "Lost and found."


def test_the_end_of_a_transcript_is_read_until_a_reply_takes_its_place(turn: Turn) -> None:
    for seq, text in enumerate(["One ", "two ", "three."], start=1):
        TurnLine.objects.create(turn=turn, seq=seq, text=text)

    unsent = transcript_of(turn, characters=100)
    turn.sent_at = clock.now()
    whole, end = transcript_of(turn, characters=100), transcript_of(turn, characters=6)
    turn.reply = "One two three."

    assert unsent is None
    assert whole == Transcript(text="One two three.", last=3, is_cut=False)
    assert end == Transcript(text="three.", last=3, is_cut=True)
    assert transcript_of(turn, characters=100) is None
    assert [line.seq for line in lines_after(turn, 2)] == [3]
