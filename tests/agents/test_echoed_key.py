"""A service that sends the key back: it is taken out of everything before anything is kept."""

from __future__ import annotations

import pytest

from agents.calls import transcript
from agents.calls.hosted import run_turn
from agents.models import ModelCall, TurnLine
from agents.selectors import lines_after
from agents.services.bindings import bind_account
from agents.states import BindingScope, Provider, TurnState
from tests.agents.conftest import Desk
from tests.factories.agents import make_account
from tests.support.canary import KEY
from tests.support.fake_provider import FakeProvider, answers
from tests.support.fake_service import End, streaming
from tests.support.fake_streams import stream_of

pytestmark = [pytest.mark.django_db, pytest.mark.requirement("I001")]

ECHO = f"Your key {KEY} is fine."
CLEAN = "Your key [removed] is fine."


@pytest.fixture
def wire(desk: Desk, service: FakeProvider, request: pytest.FixtureRequest) -> str:
    """An account that pays, at a service that speaks this wire."""
    account = make_account(desk.caller, service, provider=Provider(request.param))
    bind_account(desk.caller, account=account, scope=BindingScope.BOARD, board=desk.board)
    return str(request.param)


def echoing_headers(wire: str) -> dict[str, str]:
    return {"request-id" if wire == "anthropic" else "x-request-id": f"req-{KEY}"}


@pytest.mark.parametrize("wire", list(Provider), indirect=True)
def test_an_answer_in_one_piece_is_kept_without_the_key(desk: Desk, service: FakeProvider, wire: str) -> None:
    service.script(answers(wire, ECHO, headers=echoing_headers(wire)))
    turn = desk.queue()

    run_turn(turn.pk)

    turn.refresh_from_db()
    assert (turn.state, turn.reply) == (TurnState.DONE, CLEAN)
    assert ModelCall.objects.get(turn=turn).provider_request_id == "req-[removed]"


@pytest.mark.parametrize("wire", list(Provider), indirect=True)
def test_a_stream_that_cuts_the_key_into_pieces_is_kept_without_it(
    desk: Desk, service: FakeProvider, wire: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript, "EVERY_S", 0.0)
    headers = {"Content-Type": "text/event-stream", **echoing_headers(wire)}
    service.script(streaming(stream_of(wire, ECHO), headers=headers))
    turn = desk.queue()

    run_turn(turn.pk)

    turn.refresh_from_db()
    lines = [line.text for line in lines_after(turn, 0)]
    assert (turn.state, turn.reply) == (TurnState.DONE, CLEAN)
    assert len(lines) > 1
    assert CLEAN.startswith("".join(lines))
    assert ModelCall.objects.get(turn=turn).provider_request_id == "req-[removed]"


@pytest.mark.parametrize("wire", list(Provider), indirect=True)
def test_of_a_stream_that_breaks_off_within_the_key_nothing_of_it_is_kept(
    desk: Desk, service: FakeProvider, wire: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript, "EVERY_S", 0.0)
    begun = stream_of(wire, f"Your key {KEY[:20]}")
    ends = {"anthropic": 3, "openai": 4, "openai_compatible": 3}[wire]
    headers = {"Content-Type": "text/event-stream"}
    service.script(streaming(begun[:-ends], headers=headers, end=End.CUT))
    turn = desk.queue()

    run_turn(turn.pk)

    turn.refresh_from_db()
    assert (turn.state, turn.reply) == (TurnState.UNKNOWN, "Your key [removed]")
    assert "".join(TurnLine.objects.order_by("seq").values_list("text", flat=True)) == "Your key "


@pytest.mark.parametrize("wire", ["anthropic", "openai_compatible"], indirect=True)
def test_the_word_for_why_a_model_stopped_is_kept_without_the_key(desk: Desk, service: FakeProvider, wire: str) -> None:
    service.script(answers(wire, "Half a text", stop=f"because-of-{KEY}-and-more-words"))
    turn = desk.queue()

    run_turn(turn.pk)

    assert ModelCall.objects.get(turn=turn).stop_reason == "because-of-[removed]-an"
