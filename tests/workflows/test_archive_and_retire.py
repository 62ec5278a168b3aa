"""Archiving a board and retiring an agent: what waits is ended, what runs settles, and nothing starts any more."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import transaction

from agents.access import lock_turn
from agents.models import Turn
from agents.services.sweep import sweep_turns
from agents.services.turns import hold_turn, wake_turns
from agents.states import AgentState, TurnState, WaitReason
from bakedbrie.lib.refusals import Refused
from boards.models import BoardEvent, Result
from boards.states import Badge, EventKind
from tests.factories.agents import make_agent
from tests.factories.boards import make_card
from tests.factories.workflows import Line
from tests.support.fake_provider import Late, streams
from tests.support.jobs import Ran
from tests.support.races import codes, in_thread, wait_until_waiting
from workflows.services.agents import retire_agent
from workflows.services.archive import archive_board, restore_board
from workflows.services.cards import create_card
from workflows.services.moves import move_card, preview_move
from workflows.services.rules import pause_rule
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db

Drain = Callable[..., Ran]


def test_archiving_ends_what_was_not_sent(line: Line, drain_jobs: Drain) -> None:
    turn = line.start()

    board = archive_board(line.caller, board=line.board)
    drain_jobs()

    turn.refresh_from_db()
    assert board.archived_at is not None
    assert (turn.state, turn.finished_at is not None) == (TurnState.CANCELED, True)
    assert (line.fresh_card().badge, line.provider.calls) == (Badge.IDLE, [])
    assert BoardEvent.objects.filter(card=line.card, kind=EventKind.TURN_STOPPED).count() == 1


@pytest.mark.django_db(transaction=True)
def test_archiving_lets_a_running_turn_settle_without_a_move(line: Line, drain_jobs: Drain) -> None:
    late = Late(streams("anthropic"))
    line.provider.script(late)
    turn = line.start()
    running = in_thread(lambda: line.run(turn))
    line.provider.wait_for_requests(2)  # the check of the key was the first

    archive_board(line.caller, board=line.board)
    assert Turn.objects.get().state == TurnState.SENDING
    late.answer_now()
    running.outcome()
    drain_jobs()

    turn.refresh_from_db()
    card = line.fresh_card()
    assert (turn.state, turn.finished_at is not None) == (TurnState.DONE, True)
    assert (card.stage_id, card.badge, Result.objects.count()) == (line.doing.pk, Badge.IDLE, 1)


@pytest.mark.django_db(transaction=True)
def test_a_card_that_enters_a_column_while_the_board_is_archived_starts_nothing(line: Line) -> None:
    """Its preview showed a start, so the move is refused as a whole."""
    preview = preview_move(line.caller, card=line.card, stage=line.doing)
    with transaction.atomic():
        archive_board(line.caller, board=line.board)
        moving = in_thread(
            lambda: move_card(line.caller, card=line.card, stage=line.doing, preview_hash=preview.preview_hash)
        )
        wait_until_waiting()

    assert codes([moving.outcome()]) == ["PREVIEW_CHANGED"]
    assert not Turn.objects.exists()
    assert line.fresh_card().stage_id == line.todo.pk


@pytest.mark.django_db(transaction=True)
def test_archiving_waits_for_a_card_that_is_just_entering_and_ends_its_turn(line: Line) -> None:
    with transaction.atomic():
        line.start()
        archiving = in_thread(lambda: archive_board(line.caller, board=line.board))
        wait_until_waiting()
    archiving.outcome()

    turn = Turn.objects.get()
    assert (turn.state, turn.finished_at is not None) == (TurnState.CANCELED, True)


def test_on_an_archived_board_nothing_is_created(line: Line) -> None:
    archive_board(line.caller, board=line.board)

    with pytest.raises(Refused) as refusal:
        create_card(line.caller, board=line.board, stage=line.doing, title="Too late")

    assert refusal.value.code == "BOARD_ARCHIVED"


def test_a_restored_board_starts_nothing_by_itself(line: Line, drain_jobs: Drain) -> None:
    line.start()
    archive_board(line.caller, board=line.board)

    board = restore_board(line.caller, board=line.board)
    drain_jobs()

    assert board.archived_at is None
    assert line.provider.calls == []


def test_a_board_is_a_managers_to_archive(line: Line, mia: Caller) -> None:
    line.let_in(mia)

    with pytest.raises(Refused) as refusal:
        archive_board(mia, board=line.board)

    line.board.refresh_from_db()
    assert (refusal.value.code, line.board.archived_at) == ("NOT_BOARD_MANAGER", None)


@pytest.mark.requirement("A018")
def test_an_agent_that_a_published_rule_uses_is_not_retired(line: Line) -> None:
    with pytest.raises(Refused) as refusal:
        retire_agent(line.caller, agent=line.agent)

    line.agent.refresh_from_db()
    assert (refusal.value.code, line.agent.state) == ("AGENT_IN_USE", AgentState.PUBLISHED)
    assert refusal.value.details == {
        "details": [{"kind": "rule", "id": str(line.rule.pk), "untrusted_data": {"name": "Doing → Researcher → Done"}}]
    }


@pytest.mark.requirement("A018")
def test_retiring_an_agent_ends_what_it_was_not_sent(line: Line, drain_jobs: Drain) -> None:
    turn = line.start()
    pause_rule(line.caller, rule=line.rule)

    agent = retire_agent(line.caller, agent=line.agent)
    drain_jobs()

    turn.refresh_from_db()
    assert (agent.state, turn.state, line.fresh_card().badge) == (AgentState.RETIRED, TurnState.CANCELED, Badge.IDLE)
    assert line.provider.calls == []


def test_retiring_an_agent_leaves_the_turns_of_others_alone(line: Line) -> None:
    line.start()
    other = make_agent(line.caller, line.board, name="Other")

    retire_agent(line.caller, agent=other)

    assert Turn.objects.get().state == TurnState.QUEUED


def test_an_agent_is_a_managers_to_retire(line: Line, mia: Caller) -> None:
    line.let_in(mia)
    other = make_agent(line.caller, line.board, name="Other")

    with pytest.raises(Refused) as refusal:
        retire_agent(mia, agent=other)

    other.refresh_from_db()
    assert (refusal.value.code, other.state) == ("NOT_BOARD_MANAGER", AgentState.PUBLISHED)


@pytest.mark.django_db(transaction=True)
def test_a_turn_that_is_sent_just_before_the_archive_is_not_canceled(line: Line) -> None:
    """The archive looks, the worker claims, the archive acts: the claimed turn stays what it is."""
    make_card(line.caller, line.board, title="Another")
    turn = line.start()
    with transaction.atomic():
        lock_turn(turn.pk)
        archiving = in_thread(lambda: archive_board(line.caller, board=line.board))
        wait_until_waiting()
        Turn.objects.filter(pk=turn.pk).update(state=TurnState.SENDING)
    archiving.outcome()

    turn.refresh_from_db()
    assert (turn.state, turn.finished_at) == (TurnState.SENDING, None)


@pytest.mark.django_db(transaction=True)
def test_a_queued_turn_that_is_put_aside_while_the_board_is_archived_is_canceled_too(line: Line) -> None:
    turn = line.start()
    with transaction.atomic():
        locked = lock_turn(turn.pk)
        archiving = in_thread(lambda: archive_board(line.caller, board=line.board))
        wait_until_waiting()
        hold_turn(locked, WaitReason.DISPATCH_PAUSED)
    archiving.outcome()

    turn.refresh_from_db()
    assert (turn.state, turn.finished_at is not None) == (TurnState.CANCELED, True)


def test_a_turn_that_waits_on_an_archived_board_is_not_woken(line: Line) -> None:
    turn = line.start()
    archive_board(line.caller, board=line.board)
    Turn.objects.filter(pk=turn.pk).update(state=TurnState.WAITING, reason="AGENT_PAUSED", finished_at=None)

    woken = wake_turns(line.caller.workspace.pk)

    turn.refresh_from_db()
    assert (woken, sweep_turns()["woken"], turn.state) == (0, 0, TurnState.WAITING)
