"""At most once: guarded updates on a real row, and races for it."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from agents.models import Turn
from agents.services.turns import queue_turn
from bakedbrie.lib import once
from bakedbrie.lib.states import CallState
from boards.services.rounds import start_round
from tests.factories.agents import make_agent
from tests.factories.boards import make_board, make_card
from tests.support.races import at_once
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db

DEADLINE = timedelta(seconds=30)
ENDS = [CallState.DONE, CallState.REFUSED, CallState.FAILED, CallState.UNKNOWN, CallState.CANCELED]


@pytest.fixture
def turn(alice: Caller) -> Turn:
    """A queued row of the first `OnceCall`; nothing here runs it."""
    board = make_board(alice)
    card = make_card(alice, board)
    iteration = start_round(alice, card=card)
    turn = queue_turn(alice, card=card, iteration=iteration, agent=make_agent(alice, board))
    set_state(turn, CallState.QUEUED)
    return turn


def set_state(turn: Turn, state: CallState) -> None:
    Turn.objects.filter(pk=turn.pk).update(state=state)


def state_of(turn: Turn) -> str:
    turn.refresh_from_db()
    return turn.state


def test_a_claim_takes_a_queued_row_and_sets_a_lease_beyond_the_deadline(turn: Turn) -> None:
    attempt = once.claim(Turn, turn.pk, deadline=DEADLINE, prompt_sha256="ab")

    assert state_of(turn) == CallState.SENDING
    assert (turn.attempt, turn.prompt_sha256, turn.settled_at) == (attempt, "ab", None)
    assert turn.lease_until is not None
    assert turn.sent_at is not None
    assert turn.lease_until - turn.sent_at == DEADLINE + once.LEASE_MARGIN


@pytest.mark.parametrize("state", [state for state in CallState if state != CallState.QUEUED])
def test_nothing_but_a_queued_row_is_claimed(turn: Turn, state: CallState) -> None:
    set_state(turn, state)

    with pytest.raises(once.LostRace):
        once.claim(Turn, turn.pk, deadline=DEADLINE)

    assert (state_of(turn), turn.attempt) == (state, None)


@pytest.mark.requirement("C015")
@pytest.mark.django_db(transaction=True)
def test_of_many_claims_at_once_one_wins(turn: Turn) -> None:
    def try_to_claim() -> uuid.UUID | None:
        try:
            return once.claim(Turn, turn.pk, deadline=DEADLINE)
        except once.LostRace:
            return None

    attempts = [attempt for attempt in at_once(*[try_to_claim] * 8) if attempt is not None]

    turn.refresh_from_db()
    assert attempts == [turn.attempt]


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("before", [CallState.SENDING, CallState.CANCEL_REQUESTED])
def test_an_attempt_settles_once(turn: Turn, before: CallState, end: CallState) -> None:
    attempt = once.claim(Turn, turn.pk, deadline=DEADLINE)
    set_state(turn, before)

    once.settle(Turn, turn.pk, attempt, end, code="CODE")

    assert (state_of(turn), turn.code, turn.settled_at is not None) == (end, "CODE", True)


@pytest.mark.parametrize("state", [CallState.DONE, CallState.REFUSED, CallState.FAILED, CallState.CANCELED])
@pytest.mark.parametrize("end", ENDS)
def test_what_is_settled_stays_settled(turn: Turn, state: CallState, end: CallState) -> None:
    attempt = once.claim(Turn, turn.pk, deadline=DEADLINE)
    once.settle(Turn, turn.pk, attempt, state)

    with pytest.raises(once.LostRace):
        once.settle(Turn, turn.pk, attempt, end, code="LATE")

    assert (state_of(turn), turn.code) == (state, "")


def test_a_true_answer_heals_an_unknown_and_a_second_unknown_does_not(turn: Turn) -> None:
    attempt = once.claim(Turn, turn.pk, deadline=DEADLINE)
    once.settle(Turn, turn.pk, attempt, CallState.UNKNOWN)

    with pytest.raises(once.LostRace):
        once.settle(Turn, turn.pk, attempt, CallState.UNKNOWN)
    once.settle(Turn, turn.pk, attempt, CallState.DONE)

    assert state_of(turn) == CallState.DONE


def test_another_attempt_settles_nothing(turn: Turn) -> None:
    once.claim(Turn, turn.pk, deadline=DEADLINE)

    with pytest.raises(once.LostRace):
        once.settle(Turn, turn.pk, uuid.uuid4(), CallState.DONE)

    assert state_of(turn) == CallState.SENDING


def test_a_row_moves_only_from_where_it_stands(turn: Turn) -> None:
    with pytest.raises(once.LostRace):
        once.move(Turn, turn.pk, from_=CallState.WAITING, to=CallState.CANCELED)
    once.move(Turn, turn.pk, from_=CallState.QUEUED, to=CallState.WAITING, reason="AGENT_PAUSED")

    assert (state_of(turn), turn.reason, turn.settled_at) == (CallState.WAITING, "AGENT_PAUSED", None)


def test_a_move_to_an_end_notes_when(turn: Turn) -> None:
    once.move(Turn, turn.pk, from_=CallState.QUEUED, to=CallState.CANCELED)

    assert (state_of(turn), turn.settled_at is not None) == (CallState.CANCELED, True)


@pytest.mark.parametrize("state", [CallState.SENDING, CallState.CANCEL_REQUESTED])
def test_rows_past_their_lease_are_found_the_oldest_first(turn: Turn, state: CallState) -> None:
    attempt = once.claim(Turn, turn.pk, deadline=DEADLINE)
    set_state(turn, state)
    assert once.expired(Turn) == []

    Turn.objects.filter(pk=turn.pk).update(lease_until=Now() - timedelta(seconds=1))

    assert once.expired(Turn) == [(turn.pk, attempt)]


@pytest.mark.parametrize("state", [CallState.QUEUED, CallState.DONE, CallState.UNKNOWN, CallState.WAITING])
def test_rows_that_are_not_out_never_expire(turn: Turn, state: CallState) -> None:
    once.claim(Turn, turn.pk, deadline=DEADLINE)
    Turn.objects.filter(pk=turn.pk).update(state=state, lease_until=Now() - timedelta(days=1))

    assert once.expired(Turn) == []
