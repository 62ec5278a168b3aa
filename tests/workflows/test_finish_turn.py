"""What follows a turn, once: the result is kept and the card goes on, or stands still and says why."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.models import Turn
from agents.services.agents import pause_agent
from agents.states import AgentState, TurnState
from bakedbrie.lib import clock, ids
from boards.models import BoardEvent, Iteration, Result
from boards.services.boards import set_archived
from boards.services.stages import delete_stage
from boards.states import Badge, EventKind
from tests.factories.agents import make_agent
from tests.factories.workflows import Line, make_rule
from tests.support.cast import token_of
from tests.support.fake_provider import OVERLOADED, FakeProvider, drop_connection, fails
from tests.support.jobs import Ran
from tests.support.races import at_once, codes
from workflows.models import Rule
from workflows.services.agents import retire_agent
from workflows.services.moves import move_card, preview_move
from workflows.services.rules import pause_rule, publish_rule, write_rule_draft
from workflows.services.turns import finish_turn
from workspaces.access import caller_from_token
from workspaces.caller import Caller
from workspaces.roles import Role
from workspaces.services.members import change_role, remove_member

pytestmark = pytest.mark.django_db

Drain = Callable[..., Ran]


@pytest.fixture
def settled(line: Line) -> Turn:
    """A turn that is done and settled; what follows it has not run yet."""
    turn = line.start()
    line.run(turn)
    turn.refresh_from_db()
    assert (turn.state, turn.finished_at) == (TurnState.DONE, None)
    return turn


@pytest.mark.requirement("R001")
def test_a_finished_turn_leaves_its_result_and_the_card_moves_on(line: Line, drain_jobs: Drain) -> None:
    line.start()

    drain_jobs()

    card, turn = line.fresh_card(), Turn.objects.get()
    result = Result.objects.get(card=card)
    assert (card.stage_id, card.badge, card.badge_reason) == (line.done.pk, Badge.DONE, "")
    assert (result.markdown, result.made_by_id) == ("Finished work.", line.agent.actor_id)
    assert (turn.state, turn.finished_at is not None) == (TurnState.DONE, True)
    assert len(line.provider.calls) == 1


def test_the_history_tells_the_whole_way(line: Line, drain_jobs: Drain) -> None:
    line.start()

    drain_jobs()

    events = BoardEvent.objects.filter(card=line.card).order_by("pk").select_related("actor")
    assert [(event.kind, event.actor_id == line.agent.actor_id) for event in events] == [
        (EventKind.CARD_CREATED, False),
        (EventKind.CARD_MOVED, False),
        (EventKind.ROUND_STARTED, False),
        (EventKind.TURN_QUEUED, False),
        (EventKind.TURN_STARTED, True),
        (EventKind.TURN_ENDED, True),
        (EventKind.RESULT_KEPT, True),
        (EventKind.CARD_MOVED, True),
    ]


def test_finishing_again_changes_nothing(line: Line, settled: Turn) -> None:
    finish_turn(settled.pk)
    events, card = BoardEvent.objects.count(), line.fresh_card()

    finish_turn(settled.pk)

    assert (BoardEvent.objects.count(), Result.objects.count()) == (events, 1)
    assert line.fresh_card().revision == card.revision


def test_finishing_a_turn_that_is_not_there_or_not_over_does_nothing(line: Line) -> None:
    turn = line.start()

    finish_turn(turn.pk)
    finish_turn(ids.new_id())

    turn.refresh_from_db()
    assert (turn.state, turn.finished_at) == (TurnState.QUEUED, None)


@pytest.mark.django_db(transaction=True)
def test_two_processes_that_finish_one_turn_move_its_card_once(line: Line, settled: Turn) -> None:
    outcomes = at_once(*[lambda: finish_turn(settled.pk)] * 4)

    assert codes(outcomes) == ["done"] * 4
    assert Result.objects.count() == 1
    assert BoardEvent.objects.filter(card=line.card, kind=EventKind.CARD_MOVED).count() == 2
    assert line.fresh_card().stage_id == line.done.pk


def test_a_chain_of_rules_stays_in_one_round(line: Line, drain_jobs: Drain) -> None:
    check = line.add_stage("Check")
    pause_rule(line.caller, rule=line.rule)
    make_rule(line.caller, line.board, from_stage=line.doing, agent=line.agent, to_stage=check)
    make_rule(line.caller, line.board, from_stage=check, agent=line.agent, to_stage=line.done)
    line.start()

    drain_jobs()

    iteration = Iteration.objects.get(card=line.card)
    assert (iteration.n, iteration.turns, iteration.started_by_id) == (1, 2, line.caller.actor.pk)
    assert Turn.objects.filter(iteration=iteration, state=TurnState.DONE).count() == 2
    assert line.fresh_card().stage_id == line.done.pk


@pytest.mark.requirement("R034")
def test_two_rules_that_point_at_each_other_stop(
    line: Line, drain_jobs: Drain, bound_round: Callable[[int], None]
) -> None:
    bound_round(5)
    for n in range(5):
        line.provider.reply(f"Draft {n}")
    pause_rule(line.caller, rule=line.rule)
    make_rule(line.caller, line.board, from_stage=line.doing, agent=line.agent, to_stage=line.todo)
    back = make_rule(line.caller, line.board, from_stage=line.todo, agent=line.agent, to_stage=line.doing)
    line.start()

    drain_jobs()

    card = line.fresh_card()
    back.refresh_from_db()
    assert len(line.provider.calls) == 5
    assert (card.badge, card.badge_reason, card.stage_id) == (Badge.BLOCKED, "RULE_LOOP", line.todo.pk)
    assert back.last_error == "RULE_LOOP"
    assert not Turn.objects.filter(finished_at__isnull=True).exists()


@pytest.mark.requirement("R032")
@pytest.mark.parametrize(
    ("script", "state", "code"),
    [
        (OVERLOADED, TurnState.FAILED, "AI_OVERLOADED"),
        (
            fails(401, {"type": "error", "error": {"type": "authentication_error", "message": "no"}}),
            "refused",
            "AI_KEY_REJECTED",
        ),
        (drop_connection, TurnState.UNKNOWN, "AI_OUTCOME_UNKNOWN"),
    ],
)
def test_a_turn_that_went_wrong_blocks_its_card_with_the_code(
    line: Line, provider: FakeProvider, drain_jobs: Drain, script: Callable[..., bool], state: str, code: str
) -> None:
    provider.script(script)
    turn = line.start()

    drain_jobs()

    card, rule = line.fresh_card(), Rule.objects.get(pk=line.rule.pk)
    turn.refresh_from_db()
    assert (turn.state, turn.code, turn.finished_at is not None) == (state, code, True)
    assert (card.badge, card.badge_reason, card.stage_id) == (Badge.BLOCKED, code, line.doing.pk)
    assert (rule.last_error, rule.last_error_at is not None) == (code, True)
    assert not Result.objects.exists()


def test_the_history_tells_a_failure_once(line: Line, provider: FakeProvider, drain_jobs: Drain) -> None:
    provider.script(OVERLOADED)
    line.start()

    drain_jobs()

    told = BoardEvent.objects.filter(card=line.card, data__code="AI_OVERLOADED")
    newest = BoardEvent.objects.filter(card=line.card).latest("pk")
    assert [event.kind for event in told] == [EventKind.TURN_ENDED]
    assert (newest.kind, newest.data["state"]) == (EventKind.TURN_ENDED, "failed")


def test_the_error_of_a_rule_is_forgotten_when_a_later_turn_goes_well(
    line: Line, provider: FakeProvider, drain_jobs: Drain
) -> None:
    Rule.objects.filter(pk=line.rule.pk).update(last_error="AI_OVERLOADED", last_error_at=clock.now())
    line.start()

    drain_jobs()

    rule = Rule.objects.get(pk=line.rule.pk)
    assert (rule.last_error, rule.last_error_at) == ("", None)


def assert_stands_still(line: Line, code: str) -> None:
    card = line.fresh_card()
    assert Result.objects.get(card=card).markdown == "Finished work."
    assert (card.stage_id, card.badge, card.badge_reason) == (line.doing.pk, Badge.BLOCKED, code)
    assert not Turn.objects.filter(finished_at__isnull=True).exists()


def test_a_rule_that_was_paused_meanwhile_keeps_the_result_and_the_card_stays(line: Line, settled: Turn) -> None:
    pause_rule(line.caller, rule=line.rule)

    finish_turn(settled.pk)

    assert_stands_still(line, "RULE_PAUSED")


@pytest.mark.requirement("A018")
def test_an_agent_that_was_retired_meanwhile_keeps_the_result_and_the_card_stays(line: Line, settled: Turn) -> None:
    other = make_agent(line.caller, line.board, name="Successor")
    write_rule_draft(
        line.caller, board=line.board, rule=line.rule, from_stage=line.doing, agent=other, to_stage=line.done
    )
    publish_rule(line.caller, rule=line.rule)
    retire_agent(line.caller, agent=line.agent)

    finish_turn(settled.pk)

    assert_stands_still(line, "AGENT_RETIRED")


def test_a_paused_agent_does_not_keep_a_finished_card_back(line: Line, settled: Turn) -> None:
    pause_agent(line.caller, agent=line.agent)

    finish_turn(settled.pk)

    assert Turn.objects.get().agent.state == AgentState.PAUSED
    assert line.fresh_card().stage_id == line.done.pk


def test_a_target_column_that_was_deleted_keeps_the_result_and_the_card_stays(line: Line, drain_jobs: Drain) -> None:
    check = line.add_stage("Check")
    pause_rule(line.caller, rule=line.rule)
    rule = make_rule(line.caller, line.board, from_stage=line.doing, agent=line.agent, to_stage=check)
    turn = line.start()
    line.run(turn)
    delete_stage(line.caller, stage=check)

    finish_turn(turn.pk)

    rule.refresh_from_db()
    assert_stands_still(line, "STAGE_GONE")
    assert (rule.shown_state, rule.why_paused, rule.last_error) == ("paused", "STAGE_GONE", "STAGE_GONE")


def test_a_rule_that_was_published_anew_meanwhile_sends_the_card_where_its_preview_said(
    line: Line, settled: Turn
) -> None:
    check = line.add_stage("Check")
    write_rule_draft(
        line.caller, board=line.board, rule=line.rule, from_stage=line.doing, agent=line.agent, to_stage=check
    )
    publish_rule(line.caller, rule=line.rule)

    finish_turn(settled.pk)

    assert line.fresh_card().stage_id == line.done.pk


def test_a_board_that_was_archived_meanwhile_keeps_the_result_and_the_card_stays(line: Line, settled: Turn) -> None:
    set_archived(line.caller, board=line.board, is_archived=True)

    finish_turn(settled.pk)

    card = line.fresh_card()
    settled.refresh_from_db()
    assert (card.stage_id, card.badge) == (line.doing.pk, Badge.IDLE)
    assert (Result.objects.count(), settled.finished_at is not None) == (1, True)


@pytest.fixture
def mias(line: Line, mia: Caller) -> Turn:
    """A settled turn of a round that Mia started."""
    line.let_in(mia)
    turn = line.start(caller=mia)
    line.run(turn)
    return turn


def test_nothing_further_starts_for_a_member_who_was_removed_meanwhile(line: Line, mia: Caller, mias: Turn) -> None:
    remove_member(line.caller, member=mia.member)

    finish_turn(mias.pk)

    assert_stands_still(line, "MEMBER_REMOVED")


def test_nothing_further_starts_for_a_member_who_only_views_by_now(line: Line, mia: Caller, mias: Turn) -> None:
    change_role(line.caller, member=mia.member, role=Role.VIEWER)

    finish_turn(mias.pk)

    assert_stands_still(line, "MEMBER_REMOVED")


def test_nothing_further_starts_for_a_member_who_may_not_open_the_board_by_now(
    line: Line, mia: Caller, mias: Turn
) -> None:
    line.let_out(mia)

    finish_turn(mias.pk)

    assert_stands_still(line, "MEMBER_REMOVED")


def test_an_agent_goes_on_for_the_member_whose_token_started_the_round(line: Line, drain_jobs: Drain) -> None:
    caller = caller_from_token(token_of(line.caller))
    card = line.fresh_card()
    good = preview_move(caller, card=card, stage=line.doing).preview_hash
    move_card(caller, card=card, stage=line.doing, preview_hash=good)

    drain_jobs()

    assert line.fresh_card().stage_id == line.done.pk
