"""Turns that wait, start by themselves, are stopped, or run again."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import IntegrityError, transaction

from agents.models import Turn
from agents.rules import MOST_TURNS
from agents.services.agents import pause_agent, resume_agent
from agents.states import TurnState
from bakedbrie.lib.refusals import Refused
from boards.models import Card, Iteration, Result
from boards.services.boards import set_archived
from boards.states import Badge
from tests.factories.agents import make_account
from tests.factories.workflows import Line, make_line, pay, publish_again
from tests.support.fake_provider import OVERLOADED, FakeProvider, drop_connection, fails
from tests.support.jobs import Ran
from tests.support.races import at_once, codes
from workflows.services.cards import create_card
from workflows.services.moves import move_card, preview_move
from workflows.services.rules import pause_rule, publish_rule
from workflows.services.turns import run_again, stop_turn
from workspaces.caller import Caller
from workspaces.services.capabilities import switch_capability
from workspaces.services.dispatch import pause_dispatch, resume_dispatch
from workspaces.services.members import remove_member

pytestmark = pytest.mark.django_db

Drain = Callable[..., Ran]


@pytest.fixture
def failed(line: Line, drain_jobs: Drain) -> Turn:
    line.provider.script(OVERLOADED)
    turn = line.start()
    drain_jobs()
    turn.refresh_from_db()
    assert turn.state == TurnState.FAILED
    return turn


@pytest.fixture
def unclear(line: Line, drain_jobs: Drain) -> Turn:
    line.provider.script(drop_connection)
    turn = line.start()
    drain_jobs()
    turn.refresh_from_db()
    assert turn.state == TurnState.UNKNOWN
    return turn


def code_of(do: Callable[[], object]) -> str:
    """Return the code of the refusal, having seen that no turn was made."""
    before = Turn.objects.count()
    with pytest.raises(Refused) as refusal:
        do()
    assert Turn.objects.count() == before
    return refusal.value.code


@pytest.mark.requirement("R006", "R007")
def test_a_card_waits_for_an_account_and_starts_by_itself_once_one_is_bound(
    alice: Caller, provider: FakeProvider, drain_jobs: Drain
) -> None:
    line = make_line(alice, provider, pays=False)
    turn = line.start()
    drain_jobs()
    card = line.fresh_card()
    assert (turn.state, turn.reason) == (TurnState.WAITING, "AI_ACCOUNT_REQUIRED")
    assert (card.badge, card.badge_reason, card.stage_id) == (Badge.WAITING, "AI_ACCOUNT_REQUIRED", line.doing.pk)

    pay(alice, line.board, provider)
    drain_jobs()

    assert line.fresh_card().stage_id == line.done.pk
    assert len(provider.calls) == 1


@pytest.mark.requirement("W012", "W014")
def test_while_work_is_paused_cards_wait_and_start_when_it_is_resumed(line: Line, drain_jobs: Drain) -> None:
    pause_dispatch(line.caller, reason="Audit")
    line.caller.workspace.refresh_from_db()
    turn = line.start()
    drain_jobs()
    assert (turn.state, turn.reason, len(line.provider.calls)) == (TurnState.WAITING, "DISPATCH_PAUSED", 0)

    resume_dispatch(line.caller)
    drain_jobs()

    assert (line.fresh_card().stage_id, len(line.provider.calls)) == (line.done.pk, 1)


@pytest.mark.requirement("W014")
def test_a_turn_that_runs_while_work_is_paused_settles_and_starts_nothing_further(
    line: Line, drain_jobs: Drain
) -> None:
    check = line.add_stage("Check")
    pause_rule(line.caller, rule=line.rule)
    for start, end in ((line.doing, check), (check, line.done)):
        line.make_rule(from_stage=start, to_stage=end)
    turn = line.start()
    line.run(turn)
    pause_dispatch(line.caller, reason="Audit")

    drain_jobs()

    card = line.fresh_card()
    assert (card.stage_id, card.badge, card.badge_reason) == (check.pk, Badge.WAITING, "DISPATCH_PAUSED")
    assert (Result.objects.count(), len(line.provider.calls)) == (1, 1)


@pytest.mark.requirement("A016", "A017")
def test_a_paused_agent_starts_nothing_until_it_is_resumed(line: Line, drain_jobs: Drain) -> None:
    agent = pause_agent(line.caller, agent=line.agent)
    turn = line.start()
    drain_jobs()
    assert (turn.reason, len(line.provider.calls)) == ("AGENT_PAUSED", 0)

    resume_agent(line.caller, agent=agent)
    drain_jobs()

    assert line.fresh_card().stage_id == line.done.pk


@pytest.mark.requirement("A014", "A015", "A025")
def test_the_next_turn_uses_the_version_that_is_published_by_then(line: Line, drain_jobs: Drain) -> None:
    first = line.start()
    drain_jobs()
    publish_again(line)
    create_card(line.caller, board=line.board, stage=line.doing, title="Another")

    newest = Turn.objects.select_related("version").latest("pk")

    assert (first.version.n, newest.version.n) == (1, 2)
    assert first.version.instructions != newest.version.instructions


def test_a_new_card_in_a_rule_column_starts_at_once(line: Line, drain_jobs: Drain) -> None:
    card = create_card(line.caller, board=line.board, stage=line.doing, title="Compare", brief="Three tools.")

    drain_jobs()

    card.refresh_from_db()
    assert card.stage_id == line.done.pk
    assert Iteration.objects.get(card=card).started_by_id == line.caller.actor.pk


def test_a_new_card_goes_to_the_first_column_by_itself(line: Line) -> None:
    card = create_card(line.caller, board=line.board, title="Compare")

    assert (card.stage_id, card.badge) == (line.todo.pk, Badge.IDLE)


def test_a_stopped_turn_that_was_not_sent_frees_its_card_at_once(line: Line, drain_jobs: Drain) -> None:
    turn = stop_turn(line.caller, turn=line.start())

    card = line.fresh_card()
    assert (turn.state, turn.finished_at is not None, card.badge) == (TurnState.CANCELED, True, Badge.IDLE)
    drain_jobs()
    assert line.provider.calls == []


def test_a_turn_that_is_over_is_not_stopped(line: Line, failed: Turn) -> None:
    assert code_of(lambda: stop_turn(line.caller, turn=failed)) == "TURN_NOT_RUNNING"


def test_a_turn_is_not_stopped_by_a_viewer(line: Line, vic: Caller) -> None:
    line.let_in(vic)
    turn = line.start()

    assert code_of(lambda: stop_turn(vic, turn=turn)) == "FORBIDDEN"


def test_a_failed_turn_runs_again_in_the_same_round(line: Line, failed: Turn, drain_jobs: Drain) -> None:
    again = run_again(line.caller, turn=failed)
    drain_jobs()

    iteration = Iteration.objects.get(card=line.card)
    assert (again.iteration_id, iteration.turns, iteration.n) == (failed.iteration_id, 2, 1)
    assert line.fresh_card().stage_id == line.done.pk


def test_a_canceled_turn_runs_again(line: Line, drain_jobs: Drain) -> None:
    canceled = stop_turn(line.caller, turn=line.start())

    run_again(line.caller, turn=canceled)
    drain_jobs()

    assert line.fresh_card().stage_id == line.done.pk


def test_running_again_uses_the_account_of_today(line: Line, failed: Turn, drain_jobs: Drain) -> None:
    other = pay(line.caller, line.board, line.provider)

    again = run_again(line.caller, turn=failed)

    assert (failed.account_id, again.account_id) == (line.account_pk, other.pk)


def test_after_an_unclear_turn_somebody_confirms_that_it_may_cost_twice(
    line: Line, unclear: Turn, drain_jobs: Drain
) -> None:
    assert code_of(lambda: run_again(line.caller, turn=unclear)) == "CONFIRMATION_NEEDED"

    run_again(line.caller, turn=unclear, confirm=True)
    drain_jobs()

    assert line.fresh_card().stage_id == line.done.pk
    assert len(line.provider.calls) == 2


@pytest.mark.requirement("C077")
@pytest.mark.django_db(transaction=True)
def test_of_two_clicks_on_run_again_one_runs(line: Line, unclear: Turn) -> None:
    outcomes = at_once(*[lambda: run_again(line.caller, turn=unclear, confirm=True)] * 2)

    assert codes(outcomes) == ["TURN_NOT_ENDED", "done"]
    assert Turn.objects.filter(card=line.card).count() == 2
    assert len(line.provider.calls) == 1


@pytest.mark.requirement("C018")
def test_many_cards_that_enter_at_once_are_each_worked_on_once(line: Line, drain_jobs: Drain) -> None:
    with transaction.atomic():
        for n in range(50):
            create_card(line.caller, board=line.board, stage=line.doing, title=f"Card {n}")

    drain_jobs()

    assert len(line.provider.calls) == 50
    assert Turn.objects.filter(state=TurnState.DONE).values("card").distinct().count() == 50
    assert Turn.objects.count() == 50


@pytest.mark.requirement("C018")
def test_a_card_that_was_never_made_has_no_turn_and_no_job(line: Line, drain_jobs: Drain) -> None:
    cards = Card.objects.count()
    drain_jobs()

    def make_it_and_fail() -> None:
        with transaction.atomic():
            create_card(line.caller, board=line.board, stage=line.doing, title="Late")
            Card.objects.create(pk=line.card.pk, board=line.board, title="The same id")

    with pytest.raises(IntegrityError):
        make_it_and_fail()

    ran = drain_jobs()

    assert (ran, Card.objects.count(), Turn.objects.count(), Iteration.objects.count()) == ([], cards, 0, 0)
    assert line.provider.calls == []


def test_a_turn_that_went_well_does_not_run_again(line: Line, drain_jobs: Drain) -> None:
    turn = line.start()
    drain_jobs()

    assert code_of(lambda: run_again(line.caller, turn=turn)) == "TURN_NOT_ENDED"


def test_a_turn_that_is_not_over_does_not_run_again(line: Line) -> None:
    turn = line.start()

    assert code_of(lambda: run_again(line.caller, turn=turn)) == "TURN_NOT_ENDED"


def test_only_the_newest_turn_runs_again(line: Line, failed: Turn, drain_jobs: Drain) -> None:
    line.provider.script(OVERLOADED)
    run_again(line.caller, turn=failed)
    drain_jobs()

    assert code_of(lambda: run_again(line.caller, turn=failed)) == "TURN_NOT_ENDED"


def test_a_turn_does_not_run_again_once_its_card_was_moved_away(line: Line, failed: Turn) -> None:
    card = line.fresh_card()
    there = preview_move(line.caller, card=card, stage=line.todo)
    move_card(line.caller, card=card, stage=line.todo, preview_hash=there.preview_hash)

    assert code_of(lambda: run_again(line.caller, turn=failed)) == "RULE_STATE"


def test_a_turn_does_not_run_again_while_its_rule_is_off(line: Line, failed: Turn, drain_jobs: Drain) -> None:
    pause_rule(line.caller, rule=line.rule)
    assert code_of(lambda: run_again(line.caller, turn=failed)) == "RULE_STATE"

    publish_rule(line.caller, rule=line.rule)
    run_again(line.caller, turn=failed)
    drain_jobs()

    assert line.fresh_card().stage_id == line.done.pk


def test_a_turn_does_not_run_again_on_an_archived_board(line: Line, failed: Turn) -> None:
    set_archived(line.caller, board=line.board, is_archived=True)

    assert code_of(lambda: run_again(line.caller, turn=failed)) == "BOARD_ARCHIVED"


@pytest.mark.requirement("R034")
def test_a_round_that_is_used_up_does_not_run_again(line: Line, failed: Turn) -> None:
    Iteration.objects.filter(card=line.card).update(turns=MOST_TURNS)

    assert code_of(lambda: run_again(line.caller, turn=failed)) == "RULE_LOOP"
    assert line.fresh_card().badge_reason == "AI_OVERLOADED"


def test_a_turn_of_somebody_who_was_removed_does_not_start(line: Line, mia: Caller, drain_jobs: Drain) -> None:
    line.let_in(mia)
    turn = line.start(caller=mia)
    remove_member(line.caller, member=mia.member)

    drain_jobs()

    turn.refresh_from_db()
    assert (turn.state, turn.finished_at is not None, line.provider.calls) == (TurnState.REFUSED, True, [])
    assert line.fresh_card().badge == Badge.BLOCKED


@pytest.mark.requirement("C095")
def test_a_turn_of_somebody_who_may_not_open_the_board_any_more_is_not_sent(
    line: Line, mia: Caller, drain_jobs: Drain
) -> None:
    line.let_in(mia)
    turn = line.start(caller=mia)
    line.let_out(mia)

    drain_jobs()

    turn.refresh_from_db()
    assert (turn.state, turn.code, turn.finished_at is not None) == (TurnState.REFUSED, "MEMBER_REMOVED", True)
    assert (line.provider.calls, line.fresh_card().badge) == ([], Badge.BLOCKED)


def test_a_second_account_is_no_fallback(line: Line, drain_jobs: Drain) -> None:
    make_account(line.caller, line.provider, label="Spare")
    line.provider.script(fails(401, {"type": "error", "error": {"type": "authentication_error", "message": "no"}}))
    line.start()

    drain_jobs()

    assert line.fresh_card().badge_reason == "AI_KEY_REJECTED"
    assert len(line.provider.calls) == 1


@pytest.mark.requirement("B026")
def test_an_agent_works_from_the_brief(line: Line, drain_jobs: Drain) -> None:
    card = create_card(
        line.caller, board=line.board, stage=line.doing, title="Compare", brief="Weigh the third oven first."
    )

    drain_jobs()

    (call,) = line.provider.calls
    asked = call.json()
    assert isinstance(asked, dict)
    assert "Weigh the third oven first." in str(asked["messages"])
    assert "Weigh the third oven first." not in str(asked.get("system"))
    assert Turn.objects.get(card=card).state == TurnState.DONE


@pytest.mark.requirement("W042")
def test_an_account_runs_cards_from_the_server_while_hosted_ai_is_on(line: Line, drain_jobs: Drain) -> None:
    switch_capability(line.caller, name="hosted_ai", is_on=False)
    refused = line.start()
    drain_jobs()
    refused.refresh_from_db()
    assert (refused.state, refused.code) == (TurnState.REFUSED, "AI_ACCOUNT_UNAVAILABLE")
    assert line.provider.calls == []

    switch_capability(line.caller, name="hosted_ai", is_on=True)
    run_again(line.caller, turn=refused)
    drain_jobs()

    assert (line.fresh_card().stage_id, len(line.provider.calls)) == (line.done.pk, 1)
