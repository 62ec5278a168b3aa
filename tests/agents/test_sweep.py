"""The sweep: what a lost message or a dead worker left behind is found, and nothing is sent twice."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now

from agents.models import ModelCall, Turn
from agents.providers.base import Reply, Usage
from agents.providers.outcomes import AiCode
from agents.services.agents import pause_agent
from agents.services.attempts import Ending, Written, claim_turn, settle_turn
from agents.services.sweep import sweep_turns
from agents.states import TurnState, WaitReason
from bakedbrie.lib.jobs import Job
from tests.agents.conftest import Desk, ended, rung
from tests.factories.boards import make_card
from workspaces.models import Workspace

pytestmark = pytest.mark.django_db

ANSWERED = Ending(
    code=AiCode.DONE,
    text="Finished work.",
    reply=Reply(code=AiCode.DONE, http_status=200, usage=Usage(read=10, written=20)),
    cost_micros=220,
)


def claimed(desk: Desk) -> tuple[Turn, uuid.UUID]:
    """A turn whose worker died after the claim."""
    turn = desk.queue()
    written = Written(sha256="0" * 64, record={}, notes=[])
    return turn, claim_turn(turn, written=written, deadline=timedelta(seconds=5))


def expire(turn: Turn) -> None:
    Turn.objects.filter(pk=turn.pk).update(lease_until=Now() - timedelta(seconds=1))


@pytest.mark.requirement("I019")
def test_a_turn_past_its_lease_is_unknown_and_not_queued_again(paid_desk: Desk) -> None:
    turn, _ = claimed(paid_desk)
    expire(turn)
    connection.run_on_commit.clear()

    counts = sweep_turns()

    assert counts == {"unknown": 1, "queued": 0, "unfinished": 1, "woken": 0, "expired_approvals": 0}
    assert ended(turn) == (TurnState.UNKNOWN, "AI_OUTCOME_UNKNOWN")
    assert {job for job, _ in rung()} == {Job.TURN_FINISH}
    assert ModelCall.objects.get(turn=turn).cost_micros is None


def test_a_lease_is_longer_than_the_deadline(paid_desk: Desk) -> None:
    turn, _ = claimed(paid_desk)

    counts = sweep_turns()

    turn.refresh_from_db()
    assert counts == {"unknown": 0, "queued": 0, "unfinished": 0, "woken": 0, "expired_approvals": 0}
    assert turn.lease_until is not None
    assert turn.sent_at is not None
    assert turn.lease_until - turn.sent_at == timedelta(seconds=65)


def test_a_late_true_answer_heals_an_unknown_that_nobody_acted_on(paid_desk: Desk) -> None:
    turn, attempt = claimed(paid_desk)
    expire(turn)
    sweep_turns()

    was_settled = settle_turn(turn.pk, attempt, ANSWERED)

    call = ModelCall.objects.get(turn=turn)
    assert (was_settled, ended(turn)) == (True, (TurnState.DONE, ""))
    assert (turn.reply, turn.message) == ("Finished work.", "")
    assert (call.input_tokens, call.output_tokens, call.cost_micros) == (10, 20, 220)


def test_once_the_card_is_blocked_a_late_answer_is_kept_to_be_read_and_moves_nothing(paid_desk: Desk) -> None:
    turn, attempt = claimed(paid_desk)
    expire(turn)
    sweep_turns()
    Turn.objects.filter(pk=turn.pk).update(finished_at=Now())
    connection.run_on_commit.clear()

    was_settled = settle_turn(turn.pk, attempt, ANSWERED)

    assert (was_settled, ended(turn)) == (False, (TurnState.UNKNOWN, "AI_OUTCOME_UNKNOWN"))
    assert (turn.reply, turn.notes, rung()) == ("Finished work.", [{"code": "LATE_ANSWER"}], [])
    assert ModelCall.objects.get(turn=turn).cost_micros == 220


def test_a_settled_turn_stays_what_it_is(paid_desk: Desk) -> None:
    turn, attempt = claimed(paid_desk)
    settle_turn(turn.pk, attempt, ANSWERED)

    settled = [
        settle_turn(turn.pk, attempt, Ending(code=AiCode.OUTCOME_UNKNOWN)),
        settle_turn(turn.pk, attempt, Ending(code=AiCode.REFUSED, reply=Reply(code=AiCode.REFUSED, http_status=400))),
        settle_turn(turn.pk, uuid.uuid4(), ANSWERED),
        settle_turn(uuid.uuid4(), attempt, ANSWERED),
    ]

    assert settled == [False] * 4
    assert ended(turn) == (TurnState.DONE, "")
    assert ModelCall.objects.get(turn=turn).http_status == 200


@pytest.mark.parametrize(
    ("age_s", "rings", "is_rung"),
    [
        (25, 0, False),
        (31, 0, True),
        (50, 1, False),
        (61, 1, True),
        (1800, 6, False),
        (1930, 6, True),
        (1930, 99, True),
    ],
)
def test_a_queued_turn_is_rung_for_less_and_less_often(paid_desk: Desk, age_s: int, rings: int, is_rung: bool) -> None:
    turn = paid_desk.queue()
    Turn.objects.filter(pk=turn.pk).update(updated_at=Now() - timedelta(seconds=age_s), rings=rings)
    connection.run_on_commit.clear()

    counts = sweep_turns()

    turn.refresh_from_db()
    assert counts["queued"] == int(is_rung)
    assert rung() == ([(Job.TURN_RUN, (turn.pk,))] if is_rung else [])
    assert (turn.state, turn.rings) == (TurnState.QUEUED, rings + is_rung)
    assert sweep_turns()["queued"] == 0


@pytest.mark.parametrize("state", ["done", "refused", "failed", "unknown", "canceled"])
def test_a_turn_that_is_over_but_holds_its_card_is_rung_for(paid_desk: Desk, state: str) -> None:
    turn = paid_desk.queue()
    Turn.objects.filter(pk=turn.pk).update(state=state)
    connection.run_on_commit.clear()

    sweep_turns()
    rings = rung()
    Turn.objects.filter(pk=turn.pk).update(finished_at=Now())

    assert rings == [(Job.TURN_FINISH, (turn.pk,))]
    assert sweep_turns()["unfinished"] == 0


@pytest.mark.parametrize("reason", list(WaitReason))
def test_a_turn_that_waits_for_nothing_any_more_is_woken(paid_desk: Desk, reason: WaitReason) -> None:
    turn = paid_desk.queue()
    Turn.objects.filter(pk=turn.pk).update(state=TurnState.WAITING, reason=reason)
    connection.run_on_commit.clear()

    counts = sweep_turns()

    assert counts["woken"] == 1
    assert rung() == [(Job.WAKE_TURNS, (paid_desk.caller.workspace.pk,))]


def test_turns_that_wait_for_a_reason_are_left_alone(desk: Desk) -> None:
    desk.queue()
    pause_agent(desk.caller, agent=desk.agent)
    paused = desk.queue(make_card(desk.caller, desk.board, title="Next"))
    Workspace.objects.filter(pk=desk.caller.workspace.pk).update(dispatch_paused=True)
    third = desk.queue(make_card(desk.caller, desk.board, title="Third"))

    assert sweep_turns()["woken"] == 0
    assert (paused.reason, third.reason) == ("AGENT_PAUSED", "DISPATCH_PAUSED")
