"""A turn whose answer comes piece by piece: what is seen of it meanwhile, and every way in which it can end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest
from django.db import connection, transaction
from pytest_django import Settings

from agents.calls import transcript
from agents.calls.hosted import run_turn
from agents.models import AiAccount, ModelCall, Turn, TurnLine
from agents.selectors import lines_after, transcript_of
from agents.services.bindings import bind_account
from agents.services.sweep import sweep_turns
from agents.services.turns import request_stop
from agents.states import BindingScope, Provider, TurnState
from tests.agents.conftest import Desk, ended
from tests.factories.agents import make_account
from tests.support.fake_provider import FakeProvider, answers, streams
from tests.support.fake_service import End
from tests.support.fake_streams import KEEP_ALIVE, late_error, stream_of
from tests.support.races import wait_until_waiting

pytestmark = pytest.mark.django_db
on_real_rows = pytest.mark.django_db(transaction=True)

TEXT = "Two tools, one table: the kettle boils, the oven bakes. Crème brûlée needs both, 日本 too."
PATIENCE_S = 20.0


@pytest.fixture
def looks_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every piece be kept as a line."""
    monkeypatch.setattr(transcript, "EVERY_S", 0.0)


def until(condition: Callable[[], bool]) -> None:
    pause = threading.Event()
    for _ in range(int(PATIENCE_S / 0.02)):
        if condition():
            return
        pause.wait(0.02)
    raise AssertionError("It did not come to that.")


def at_work(turn: Turn) -> threading.Thread:
    """Run a turn on a thread of its own, as a worker does."""

    def work() -> None:
        try:
            run_turn(turn.pk)
        finally:
            connection.close()

    worker = threading.Thread(target=work)
    worker.start()
    return worker


def pays(desk: Desk, service: FakeProvider, wire: str) -> AiAccount:
    account = make_account(desk.caller, service, provider=Provider(wire))
    bind_account(desk.caller, account=account, scope=BindingScope.BOARD, board=desk.board)
    return account


class Tap:
    """Events that flow until the tap is closed by whoever reads them; ``is_left`` says that they went."""

    def __init__(
        self, before: list[bytes], over_and_over: bytes | None = None, after: list[bytes] | None = None
    ) -> None:
        self.go_on = threading.Event()
        self.is_left = threading.Event()
        self._parts = before, over_and_over, after or []

    def __iter__(self) -> Iterator[bytes]:
        before, again, after = self._parts
        try:
            yield from before
            while not self.go_on.wait(0.02):
                yield again or KEEP_ALIVE["openai"]
            yield from after
        finally:
            self.is_left.set()


@pytest.mark.requirement("C080")
@pytest.mark.parametrize("wire", list(Provider))
def test_a_stream_that_is_cut_is_unknown_and_not_sent_again(desk: Desk, service: FakeProvider, wire: str) -> None:
    pays(desk, service, wire)
    events = stream_of(wire, TEXT)
    service.script(streams(wire, events=events[: len(events) * 2 // 5], end=End.CUT))
    turn = desk.queue()

    run_turn(turn.pk)
    run_turn(turn.pk)
    sweep_turns()

    call = ModelCall.objects.get(turn=turn)
    assert ended(turn) == (TurnState.UNKNOWN, "AI_OUTCOME_UNKNOWN")
    assert (call.cost_micros, call.answered_at, len(service.calls)) == (None, None, 1)
    assert turn.reply
    assert TEXT.startswith(turn.reply)


@pytest.mark.parametrize("end", [End.PROPER, End.CUT])
def test_a_stream_without_its_last_event_is_no_result_however_it_ends(
    paid_desk: Desk, service: FakeProvider, end: End
) -> None:
    service.script(streams("anthropic", events=stream_of("anthropic", TEXT)[:-1], end=end))
    turn = paid_desk.queue()

    run_turn(turn.pk)

    assert ended(turn) == (TurnState.UNKNOWN, "AI_OUTCOME_UNKNOWN")


@pytest.mark.requirement("C078", "C080")
@pytest.mark.parametrize("wire", list(Provider))
def test_an_error_late_in_the_stream_has_its_code_and_is_no_result(
    desk: Desk, service: FakeProvider, wire: str
) -> None:
    pays(desk, service, wire)
    events = stream_of(wire, TEXT)
    service.script(streams(wire, events=[*events[: len(events) * 3 // 5], late_error(wire)]))
    turn = desk.queue()

    run_turn(turn.pk)
    run_turn(turn.pk)

    call = ModelCall.objects.get(turn=turn)
    assert ended(turn) == (TurnState.FAILED, "AI_OVERLOADED")
    assert (call.http_status, call.cost_micros, call.output_tokens) == (200, None, None)
    assert turn.reply
    assert TEXT.startswith(turn.reply)
    assert len(service.calls) == 1


@on_real_rows
@pytest.mark.requirement("C080")
def test_a_silence_within_the_time_changes_nothing_and_what_came_before_it_is_seen(
    paid_desk: Desk, service: FakeProvider
) -> None:
    events = stream_of("anthropic", TEXT)
    may_go_on = threading.Event()

    def halting() -> Iterator[bytes]:
        yield from events[:6]
        may_go_on.wait(PATIENCE_S)
        yield from events[6:]

    service.script(streams("anthropic", events=halting()))
    turn = paid_desk.queue()
    worker = at_work(turn)
    until(TurnLine.objects.exists)
    seen = transcript_of(Turn.objects.get(pk=turn.pk), characters=1000)
    may_go_on.set()
    worker.join(PATIENCE_S)

    assert seen is not None
    assert (seen.text, seen.is_cut) == (TEXT[:21], False)
    assert ended(turn) == (TurnState.DONE, "")
    assert turn.reply == TEXT


@pytest.mark.requirement("C080")
@pytest.mark.parametrize("wire", list(Provider))
def test_characters_cut_by_the_chunks_come_out_whole(
    desk: Desk, service: FakeProvider, wire: str, looks_at_once: None
) -> None:
    pays(desk, service, wire)
    raw = b"".join(stream_of(wire, TEXT))
    service.script(streams(wire, events=[raw[start : start + 1] for start in range(len(raw))]))
    turn = desk.queue()

    run_turn(turn.pk)

    assert ended(turn) == (TurnState.DONE, "")
    assert turn.reply == TEXT
    assert "\ufffd" not in "".join(line.text for line in lines_after(turn, 0))


@pytest.mark.requirement("C080")
def test_two_ends_are_one_result(paid_desk: Desk, service: FakeProvider) -> None:
    events = stream_of("anthropic", TEXT)
    service.script(streams("anthropic", events=[*events, events[-1]]))
    turn = paid_desk.queue()

    run_turn(turn.pk)

    assert ended(turn) == (TurnState.DONE, "")
    assert turn.reply == TEXT


@pytest.mark.requirement("C080")
def test_signs_of_life_alone_are_unknown_when_the_time_is_up(
    paid_desk: Desk, service: FakeProvider, settings: Settings
) -> None:
    settings.TURN_DEADLINE_S = 0.5
    pings = Tap([], KEEP_ALIVE["anthropic"])
    service.script(streams("anthropic", events=pings))
    turn = paid_desk.queue()

    run_turn(turn.pk)

    assert ended(turn) == (TurnState.UNKNOWN, "AI_OUTCOME_UNKNOWN")
    assert pings.is_left.wait(PATIENCE_S)


@pytest.mark.requirement("C080")
@pytest.mark.parametrize("wire", list(Provider))
@pytest.mark.parametrize("missing", [b"", b"\n", b"\n\n"])
def test_a_whole_answer_counts_though_the_connection_breaks_after_it(
    desk: Desk, service: FakeProvider, wire: str, missing: bytes
) -> None:
    pays(desk, service, wire)
    raw = b"".join(stream_of(wire, TEXT)).removesuffix(missing)
    service.script(streams(wire, events=[raw], end=End.CUT))
    turn = desk.queue()

    run_turn(turn.pk)

    assert ended(turn) == (TurnState.DONE, "")
    assert turn.reply == TEXT
    assert ModelCall.objects.get(turn=turn).output_tokens == 300


@on_real_rows
@pytest.mark.requirement("C080")
@pytest.mark.parametrize("wire", list(Provider))
def test_a_whole_answer_counts_though_the_connection_is_reset_before_its_last_line_end(
    desk: Desk, service: FakeProvider, wire: str, looks_at_once: None
) -> None:
    pays(desk, service, wire)
    is_read = threading.Event()

    def all_but_the_end() -> Iterator[bytes]:
        yield b"".join(stream_of(wire, TEXT)).removesuffix(b"\n")
        is_read.wait(PATIENCE_S)  # a reset takes with it what was not read yet

    service.script(streams(wire, events=all_but_the_end(), end=End.RESET))
    turn = desk.queue()
    worker = at_work(turn)
    until(TurnLine.objects.exists)
    is_read.set()
    worker.join(PATIENCE_S)

    assert ended(turn) == (TurnState.DONE, "")
    assert (turn.reply, ModelCall.objects.get(turn=turn).output_tokens) == (TEXT, 300)


@pytest.mark.parametrize("wire", list(Provider))
def test_a_service_that_does_not_stream_is_read_in_one_piece(desk: Desk, service: FakeProvider, wire: str) -> None:
    pays(desk, service, wire)
    service.script(answers(wire, TEXT))
    turn = desk.queue()

    run_turn(turn.pk)

    assert ended(turn) == (TurnState.DONE, "")
    assert (turn.reply, ModelCall.objects.get(turn=turn).input_tokens) == (TEXT, 1200)


@on_real_rows
@pytest.mark.parametrize("wire", list(Provider))
def test_a_stop_closes_the_stream_and_its_cost_is_unknown(
    desk: Desk, service: FakeProvider, wire: str, looks_at_once: None
) -> None:
    pays(desk, service, wire)
    events = stream_of(wire, TEXT)
    tap = Tap(events[:8])
    service.script(streams(wire, events=tap))
    turn = desk.queue()
    worker = at_work(turn)
    until(TurnLine.objects.exists)

    request_stop(desk.caller, turn=turn)
    worker.join(PATIENCE_S)

    call = ModelCall.objects.get(turn=turn)
    assert tap.is_left.wait(PATIENCE_S)
    assert ended(turn) == (TurnState.CANCELED, "")
    assert (call.http_status, call.provider_request_id, call.cost_micros) == (200, "req_fake_1", None)
    assert (call.input_tokens, call.output_tokens) == (None, None)
    assert turn.reply
    assert TEXT.startswith(turn.reply)
    assert len(service.calls) == 1


@on_real_rows
def test_a_stop_keeps_the_cost_that_the_service_reported(
    paid_desk: Desk, service: FakeProvider, looks_at_once: None
) -> None:
    tap = Tap(stream_of("anthropic", TEXT)[:-1], KEEP_ALIVE["anthropic"])
    service.script(streams("anthropic", events=tap))
    turn = paid_desk.queue()
    worker = at_work(turn)
    until(lambda: sum(len(line.text) for line in lines_after(turn, 0)) == len(TEXT))

    request_stop(paid_desk.caller, turn=turn)
    worker.join(PATIENCE_S)

    call = ModelCall.objects.get(turn=turn)
    assert ended(turn) == (TurnState.CANCELED, "")
    assert (call.input_tokens, call.output_tokens, call.cost_micros) == (1200, 300, 5400)


@on_real_rows
@pytest.mark.parametrize("begins", [True, False])
def test_a_stop_is_seen_while_the_service_is_silent(paid_desk: Desk, service: FakeProvider, begins: bool) -> None:
    may_go_on = threading.Event()

    def silent() -> Iterator[bytes]:
        yield from stream_of("anthropic", TEXT)[:1]
        may_go_on.wait(PATIENCE_S)

    service.script(streams("anthropic", events=silent())) if begins else service.hang()
    checked = len(service.requests)
    turn = paid_desk.queue()
    worker = at_work(turn)
    service.wait_for_requests(checked + 1)

    request_stop(paid_desk.caller, turn=turn)
    worker.join(PATIENCE_S)
    may_go_on.set()

    call = ModelCall.objects.get(turn=turn)
    assert ended(turn) == (TurnState.CANCELED, "")
    assert (call.http_status, call.answered_at is not None) == ((200, True) if begins else (None, False))
    assert call.cost_micros is None


def test_a_turn_that_was_stopped_before_its_claim_is_never_sent(paid_desk: Desk, service: FakeProvider) -> None:
    turn = paid_desk.queue()
    request_stop(paid_desk.caller, turn=turn)

    run_turn(turn.pk)

    assert ended(turn) == (TurnState.CANCELED, "")
    assert (service.calls, ModelCall.objects.count()) == ([], 0)


@on_real_rows
def test_a_stop_and_a_claim_at_once_send_nothing_when_the_stop_is_first(paid_desk: Desk, service: FakeProvider) -> None:
    turn = paid_desk.queue()
    with transaction.atomic():
        request_stop(paid_desk.caller, turn=turn)
        worker = at_work(turn)
        wait_until_waiting()
    worker.join(PATIENCE_S)

    assert ended(turn) == (TurnState.CANCELED, "")
    assert (service.calls, ModelCall.objects.count()) == ([], 0)
