"""Turns before they are sent: queued or waiting, woken by what they wait for, stopped."""

from __future__ import annotations

import pytest
from django.db import connection

from agents.access import get_turn
from agents.models import AiAccount, Turn
from agents.refusals import AGENT_NOT_PUBLISHED, AGENT_RETIRED, TURN_NOT_RUNNING
from agents.services.agents import pause_agent, publish_agent, resume_agent, retire, write_draft
from agents.services.bindings import bind_account
from agents.services.turns import queue_turn, request_stop, ring_again, wake_turns
from agents.states import BindingScope, TurnState, WaitReason
from bakedbrie.lib.jobs import Job
from bakedbrie.lib.refusals import Refused
from boards.models import BoardEvent
from boards.refusals import CARD_BUSY
from boards.services.rounds import start_round
from boards.states import Badge, EventKind
from tests.agents.conftest import Desk, rung
from tests.factories.agents import make_agent
from tests.factories.boards import make_card
from tests.support.fake_provider import FakeProvider
from tests.support.races import at_once, codes
from workspaces.caller import Caller
from workspaces.refusals import FORBIDDEN
from workspaces.services.dispatch import pause_dispatch, resume_dispatch

pytestmark = pytest.mark.django_db


def standing(turn: Turn) -> tuple[str, str]:
    turn.refresh_from_db()
    return turn.state, turn.reason


def test_a_turn_with_a_payer_is_queued_and_rung_for(paid_desk: Desk, account: AiAccount) -> None:
    connection.run_on_commit.clear()

    turn = paid_desk.queue()

    event = BoardEvent.objects.get(kind=EventKind.TURN_QUEUED)
    assert standing(turn) == (TurnState.QUEUED, "")
    assert (turn.account_id, turn.version_id, turn.attempt) == (account.pk, paid_desk.agent.published_id, None)
    assert (event.actor_id, event.data["turn"]) == (paid_desk.caller.actor.pk, str(turn.pk))
    assert paid_desk.badge() == (Badge.WAITING, "QUEUED")
    assert rung() == [(Job.TURN_RUN, (turn.pk,))]


def test_a_turn_that_nobody_pays_for_waits(desk: Desk, service: FakeProvider) -> None:
    turn = desk.queue()

    assert standing(turn) == (TurnState.WAITING, WaitReason.AI_ACCOUNT_REQUIRED)
    assert (desk.badge(), rung_turns()) == ((Badge.WAITING, "AI_ACCOUNT_REQUIRED"), [])
    assert BoardEvent.objects.get(kind=EventKind.TURN_WAITING).data["reason"] == "AI_ACCOUNT_REQUIRED"


def rung_turns() -> list[Job]:
    return [job for job, _ in rung() if job is Job.TURN_RUN]


def test_binding_an_account_starts_what_waited_for_it(desk: Desk, account: AiAccount) -> None:
    turn = desk.queue()
    bind_account(desk.caller, account=account, scope=BindingScope.BOARD, board=desk.board)
    assert (Job.WAKE_TURNS, (desk.caller.workspace.pk,)) in rung()

    queued = wake_turns(desk.caller.workspace.pk)

    assert (queued, standing(turn)) == (1, (TurnState.QUEUED, ""))
    assert turn.account_id == account.pk
    assert desk.badge() == (Badge.WAITING, "QUEUED")
    assert rung_turns() == [Job.TURN_RUN]


@pytest.mark.requirement("W014")
def test_a_pause_of_the_workspace_is_waited_out(paid_desk: Desk) -> None:
    pause_dispatch(paid_desk.caller, reason="Look first")
    turn = paid_desk.queue()
    assert standing(turn) == (TurnState.WAITING, WaitReason.DISPATCH_PAUSED)
    assert wake_turns(paid_desk.caller.workspace.pk) == 0

    resume_dispatch(paid_desk.caller)
    queued = wake_turns(paid_desk.caller.workspace.pk)

    assert (queued, standing(turn)) == (1, (TurnState.QUEUED, ""))


@pytest.mark.requirement("A016", "A017")
def test_a_paused_agent_is_waited_for_and_resuming_starts_it(paid_desk: Desk) -> None:
    pause_agent(paid_desk.caller, agent=paid_desk.agent)
    turn = paid_desk.queue()
    assert standing(turn) == (TurnState.WAITING, WaitReason.AGENT_PAUSED)

    resume_agent(paid_desk.caller, agent=paid_desk.fresh_agent())
    queued = wake_turns(paid_desk.caller.workspace.pk)

    assert (queued, standing(turn)) == (1, (TurnState.QUEUED, ""))


@pytest.mark.requirement("A024", "I006")
def test_an_agent_that_was_bound_waits_until_it_is_published_again(paid_desk: Desk, account: AiAccount) -> None:
    bind_account(paid_desk.caller, account=account, scope=BindingScope.AGENT, agent=paid_desk.fresh_agent())
    turn = paid_desk.queue()
    assert standing(turn) == (TurnState.WAITING, WaitReason.AGENT_NOT_PUBLISHED)
    assert wake_turns(paid_desk.caller.workspace.pk) == 0

    publish_agent(paid_desk.caller, agent=paid_desk.fresh_agent())
    queued = wake_turns(paid_desk.caller.workspace.pk)

    assert (queued, standing(turn)) == (1, (TurnState.QUEUED, ""))


def test_a_turn_that_is_woken_for_one_reason_may_wait_for_the_next(desk: Desk) -> None:
    pause_dispatch(desk.caller, reason="Look first")
    turn = desk.queue()
    resume_dispatch(desk.caller)

    queued = wake_turns(desk.caller.workspace.pk)

    assert (queued, standing(turn)) == (0, (TurnState.WAITING, WaitReason.AI_ACCOUNT_REQUIRED))
    assert desk.badge() == (Badge.WAITING, "AI_ACCOUNT_REQUIRED")


@pytest.mark.requirement("A014", "A015", "A025")
def test_the_version_is_fixed_when_the_turn_is_queued(paid_desk: Desk) -> None:
    turn = paid_desk.queue()
    first = paid_desk.agent.published_id
    agent = write_draft(paid_desk.caller, board=paid_desk.board, agent=paid_desk.agent, instructions="Shorter.")
    publish_agent(paid_desk.caller, agent=agent)

    second = paid_desk.queue(make_card(paid_desk.caller, paid_desk.board, title="Next"))

    assert (turn.version_id, turn.version.n) == (first, 1)
    assert (second.version.n, second.version.instructions) == (2, "Shorter.")


def test_a_turn_that_waited_takes_the_version_of_the_day_it_is_queued(desk: Desk, account: AiAccount) -> None:
    turn = desk.queue()
    agent = write_draft(desk.caller, board=desk.board, agent=desk.agent, instructions="Shorter.")
    publish_agent(desk.caller, agent=agent)
    bind_account(desk.caller, account=account, scope=BindingScope.WORKSPACE)

    wake_turns(desk.caller.workspace.pk)

    turn.refresh_from_db()
    assert turn.version.instructions == "Shorter."


def test_waking_leaves_other_workspaces_alone(desk: Desk, charlie: Caller) -> None:
    turn = desk.queue()

    assert wake_turns(charlie.workspace.pk) == 0
    assert standing(turn) == (TurnState.WAITING, WaitReason.AI_ACCOUNT_REQUIRED)


@pytest.mark.requirement("A013")
def test_a_draft_and_a_retired_agent_do_nothing(desk: Desk) -> None:
    draft = make_agent(desk.caller, desk.board, name="Drafted", is_published=False)
    retired = retire(desk.caller, agent=make_agent(desk.caller, desk.board, name="Retired"))
    iteration = start_round(desk.caller, card=desk.card)

    for agent, refusal in ((draft, AGENT_NOT_PUBLISHED), (retired, AGENT_RETIRED)):
        with pytest.raises(Refused) as refused:
            queue_turn(desk.caller, card=desk.card, iteration=iteration, agent=agent)
        assert refused.value.refusal is refusal

    assert Turn.objects.count() == 0


def test_a_card_is_held_by_one_turn(desk: Desk) -> None:
    desk.queue()

    with pytest.raises(Refused) as refused:
        desk.queue()

    assert refused.value.refusal is CARD_BUSY
    assert Turn.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_turns_at_once_one_holds_the_card(paid_desk: Desk) -> None:
    iteration = start_round(paid_desk.caller, card=paid_desk.card)
    agent = paid_desk.fresh_agent()

    outcomes = at_once(
        *[lambda: queue_turn(paid_desk.caller, card=paid_desk.card, iteration=iteration, agent=agent)] * 2
    )

    assert codes(outcomes) == ["CARD_BUSY", "done"]
    assert Turn.objects.count() == 1


def test_a_viewer_starts_and_stops_nothing(paid_desk: Desk, vic: Caller) -> None:
    turn = paid_desk.queue()

    other = make_card(paid_desk.caller, paid_desk.board, title="Other")
    iteration = start_round(paid_desk.caller, card=other)

    with pytest.raises(Refused) as stopping:
        request_stop(vic, turn=turn)
    with pytest.raises(Refused) as starting:
        queue_turn(vic, card=other, iteration=iteration, agent=paid_desk.fresh_agent())

    assert (stopping.value.refusal, starting.value.refusal) == (FORBIDDEN, FORBIDDEN)
    assert (Turn.objects.count(), standing(turn)) == (1, (TurnState.QUEUED, ""))


@pytest.mark.parametrize("pays", [True, False])
def test_an_unsent_turn_is_stopped_at_once(desk: Desk, account: AiAccount, service: FakeProvider, pays: bool) -> None:
    if pays:
        bind_account(desk.caller, account=account, scope=BindingScope.WORKSPACE)
    turn = desk.queue()
    connection.run_on_commit.clear()

    stopped = request_stop(desk.caller, turn=turn)

    assert (stopped.state, stopped.reason, stopped.settled_at is not None) == (TurnState.CANCELED, "", True)
    assert rung() == [(Job.TURN_FINISH, (turn.pk,))]
    assert BoardEvent.objects.filter(kind=EventKind.TURN_STOPPED).count() == 1
    assert service.calls == []


def test_a_turn_that_is_out_is_asked_to_stop_once(paid_desk: Desk) -> None:
    turn = paid_desk.queue()
    Turn.objects.filter(pk=turn.pk).update(state=TurnState.SENDING)

    first, second = (request_stop(paid_desk.caller, turn=turn).state for _ in range(2))

    assert (first, second) == (TurnState.CANCEL_REQUESTED, TurnState.CANCEL_REQUESTED)
    assert BoardEvent.objects.filter(kind=EventKind.TURN_STOPPED).count() == 1


@pytest.mark.parametrize("state", ["done", "failed", "refused", "unknown", "canceled"])
def test_a_turn_that_is_over_cannot_be_stopped(paid_desk: Desk, state: str) -> None:
    turn = paid_desk.queue()
    Turn.objects.filter(pk=turn.pk).update(state=state)

    with pytest.raises(Refused) as refused:
        request_stop(paid_desk.caller, turn=turn)

    assert refused.value.refusal is TURN_NOT_RUNNING
    assert standing(turn)[0] == state


@pytest.mark.parametrize(
    ("state", "job"),
    [
        ("waiting", Job.WAKE_TURNS),
        ("queued", Job.TURN_RUN),
        ("sending", None),
        ("cancel_requested", None),
        ("unknown", Job.TURN_FINISH),
    ],
)
def test_ringing_again_rings_for_what_comes_next(paid_desk: Desk, state: str, job: Job | None) -> None:
    turn = paid_desk.queue()
    turn.state = state
    connection.run_on_commit.clear()

    assert ring_again(turn) == job
    assert [name for name, _ in rung()] == ([job] if job else [])


@pytest.mark.requirement("W002")
def test_a_foreign_turn_is_not_there(paid_desk: Desk, charlie: Caller, mia: Caller) -> None:
    turn = paid_desk.queue()
    asked: list[tuple[Caller, object]] = [(charlie, str(turn.pk)), (mia, str(turn.pk)), (paid_desk.caller, "nonsense")]

    for caller, turn_id in asked:
        with pytest.raises(Refused) as refused:
            get_turn(caller, turn_id)
        assert refused.value.code == "NOT_FOUND"

    assert get_turn(paid_desk.caller, str(turn.pk)) == turn
