"""A preview names what a card would wait for, and the turn then waits for exactly that."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.access import get_agent
from agents.models import AiBinding, Permit, Turn
from agents.services.agents import pause_agent, publish_agent, write_draft
from agents.services.bindings import bind_account
from agents.states import BindingScope, TurnState, WaitReason
from tests.factories.boards import make_file
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


@pytest.mark.requirement("A003", "A012")
def test_a_preview_says_that_the_agent_asks_for_files_first_until_an_answer_stands(line: Line) -> None:
    write_draft(line.caller, board=line.board, agent=line.agent, permissions={"read_files": "ask"})
    line.agent = publish_agent(line.caller, agent=get_agent(line.caller, line.agent.pk))
    told = "It asks first whether it may read the files of the card, and waits for the answer."
    before = preview_move(line.caller, card=line.card, stage=line.doing)

    make_file(line.caller, line.card)
    asks = preview_move(line.caller, card=line.card, stage=line.doing)
    assert line.account is not None
    Permit.objects.create(agent=line.agent, area="read_files", target=line.account.pk, given_by=line.caller.actor)
    permitted = preview_move(line.caller, card=line.card, stage=line.doing)

    sentences = [one.consequences["sentences"] for one in (before, asks, permitted)]
    assert [told in one for one in sentences] == [False, True, False]
    assert asks.preview_hash == permitted.preview_hash
