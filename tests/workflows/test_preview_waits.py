"""A preview names what a card would wait for, and the turn then waits for exactly that."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.access import get_agent
from agents.models import AiBinding, Turn
from agents.services.agents import pause_agent, publish_agent
from agents.services.bindings import bind_account
from agents.states import BindingScope, TurnState, WaitReason
from tests.factories.workflows import Line
from workflows.services.moves import move_card, preview_move
from workspaces.services.dispatch import pause_dispatch

pytestmark = pytest.mark.django_db


def pause_the_agent(line: Line) -> None:
    pause_agent(line.caller, agent=line.agent)


def bind_the_agent(line: Line) -> None:
    assert line.account is not None
    agent = get_agent(line.caller, line.agent.pk)
    bind_account(line.caller, account=line.account, scope=BindingScope.AGENT, agent=agent)


def unbind_the_board(line: Line) -> None:
    AiBinding.objects.all().delete()


def pause_the_workspace(line: Line) -> None:
    pause_dispatch(line.caller, reason="Audit")
    line.caller.workspace.refresh_from_db()


@pytest.mark.requirement("A016", "A024", "I006", "R006")
@pytest.mark.parametrize(
    ("hinder", "reason"),
    [
        (pause_the_agent, WaitReason.AGENT_PAUSED),
        (bind_the_agent, WaitReason.AGENT_NOT_PUBLISHED),
        (unbind_the_board, WaitReason.AI_ACCOUNT_REQUIRED),
        (pause_the_workspace, WaitReason.DISPATCH_PAUSED),
    ],
)
def test_a_preview_knows_every_reason_to_wait_and_the_turn_then_waits_for_it(
    line: Line, hinder: Callable[[Line], None], reason: WaitReason
) -> None:
    free = preview_move(line.caller, card=line.card, stage=line.doing).consequences

    hinder(line)

    preview = preview_move(line.caller, card=line.card, stage=line.doing)
    (step,) = preview.consequences["steps"]
    told = set(preview.consequences["sentences"]) - set(free["sentences"])
    assert (free["steps"][0]["waits_for"], step["waits_for"]) == (None, reason)
    assert len(told) == 1
    assert "waits until" in told.pop()
    move_card(line.caller, card=line.card, stage=line.doing, preview_hash=preview.preview_hash)
    turn = Turn.objects.get(card=line.card)
    assert (turn.state, turn.reason) == (TurnState.WAITING, reason)


def test_every_reason_to_wait_is_tried_above() -> None:
    asked_later = {"APPROVAL"}  # once a worker has seen which files there are
    assert {reason.value for reason in WaitReason} - asked_later == {
        "AI_ACCOUNT_REQUIRED",
        "DISPATCH_PAUSED",
        "AGENT_PAUSED",
        "AGENT_NOT_PUBLISHED",
    }


@pytest.mark.requirement("A024", "I006", "R007")
def test_a_bound_agent_that_is_published_again_starts_its_waiting_card(
    line: Line, drain_jobs: Callable[..., object]
) -> None:
    bind_the_agent(line)
    turn = line.start()

    publish_agent(line.caller, agent=get_agent(line.caller, line.agent.pk))
    drain_jobs()

    turn.refresh_from_db()
    assert (turn.state, turn.account_id, line.fresh_card().stage_id) == (TurnState.DONE, line.account_pk, line.done.pk)
