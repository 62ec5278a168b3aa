"""What keeps a round from running away: an agent's own bound, and a stop where nothing gets further."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import pytest

from agents.access import get_agent
from agents.models import Turn
from agents.services.agents import limit_draft, publish_agent
from agents.states import TurnState
from bakedbrie.lib.refusals import Refused
from boards.models import BoardEvent, Iteration, Result
from boards.states import Badge, EventKind
from tests.factories.agents import make_agent
from tests.factories.workflows import Line, make_rule
from tests.support.fake_provider import OVERLOADED
from tests.support.jobs import Ran
from workflows.models import Rule
from workflows.services.moves import move_card, preview_move
from workflows.services.rules import pause_rule
from workflows.services.turns import run_again, stop_turn

pytestmark = pytest.mark.django_db

Drain = Callable[..., Ran]


def send_around(line: Line) -> Rule:
    """Let the agent send its card from Doing to To do and back, and return the rule that sends it back."""
    pause_rule(line.caller, rule=line.rule)
    line.make_rule(from_stage=line.doing, to_stage=line.todo)
    return line.make_rule(from_stage=line.todo, to_stage=line.doing)


def answer(line: Line, texts: Sequence[str]) -> None:
    for text in texts:
        line.provider.reply(text)


def blocked(line: Line) -> tuple[str, str]:
    card = line.fresh_card()
    assert not Turn.objects.filter(finished_at__isnull=True).exists()
    return card.badge, card.badge_reason


def give(line: Line, max_turns: int) -> None:
    limit_draft(line.caller, agent=line.agent, max_turns=max_turns)
    publish_agent(line.caller, agent=get_agent(line.caller, line.agent.pk))


@pytest.mark.requirement("R034")
def test_the_third_result_alike_stops_the_card_and_the_board_is_told(line: Line, drain_jobs: Drain) -> None:
    send_around(line)
    line.start()

    drain_jobs()

    told = BoardEvent.objects.filter(board=line.board, kind=EventKind.CARD_BLOCKED)
    stopped = Turn.objects.select_related("rule_run__rule").latest("pk")
    assert len(line.provider.calls) == 3
    assert blocked(line) == (Badge.BLOCKED, "NO_PROGRESS")
    assert [(event.card_id, event.data["code"]) for event in told] == [(line.card.pk, "NO_PROGRESS")]
    assert (stopped.state, stopped.rule_run.rule.last_error) == (TurnState.DONE, "NO_PROGRESS")
    assert Result.objects.filter(card=line.card).count() == 3


def test_the_same_result_now_and_then_counts_too(line: Line, drain_jobs: Drain) -> None:
    send_around(line)
    answer(line, ["A", "B", "A", "C", "A", "D"])
    line.start()

    drain_jobs()

    assert [result.markdown for result in Result.objects.order_by("pk")] == ["A", "B", "A", "C", "A"]
    assert blocked(line) == (Badge.BLOCKED, "NO_PROGRESS")


def test_two_agents_that_hand_the_same_result_around_are_stopped(line: Line, drain_jobs: Drain) -> None:
    pause_rule(line.caller, rule=line.rule)
    line.make_rule(from_stage=line.doing, to_stage=line.todo)
    checker = make_agent(line.caller, line.board, name="Checker")
    make_rule(line.caller, line.board, from_stage=line.todo, agent=checker, to_stage=line.doing)
    line.start()

    drain_jobs()

    assert len(line.provider.calls) == 4
    assert blocked(line) == (Badge.BLOCKED, "NO_PROGRESS")


def test_other_results_go_on_to_the_bound_of_the_round(
    line: Line, bound_round: Callable[[int], None], drain_jobs: Drain
) -> None:
    bound_round(7)
    send_around(line)
    answer(line, [f"Draft {n}" for n in range(7)])
    line.start()

    drain_jobs()

    assert len(line.provider.calls) == 7
    assert blocked(line) == (Badge.BLOCKED, "RULE_LOOP")


def test_a_way_that_ends_is_walked_to_its_end(line: Line, drain_jobs: Drain) -> None:
    pause_rule(line.caller, rule=line.rule)
    stages = [line.doing, line.add_stage("Check"), line.add_stage("Polish"), line.done]
    for start, end in itertools.pairwise(stages):
        line.make_rule(from_stage=start, to_stage=end)
    line.start()

    drain_jobs()

    assert len(line.provider.calls) == 3
    assert blocked(line) == (Badge.DONE, "")


def test_a_person_who_moves_the_card_begins_a_round_that_counts_anew(line: Line, drain_jobs: Drain) -> None:
    send_around(line)
    line.start()
    drain_jobs()
    card = line.fresh_card()
    there = line.todo if card.stage_id == line.doing.pk else line.doing
    preview = preview_move(line.caller, card=card, stage=there)

    move_card(line.caller, card=card, stage=there, preview_hash=preview.preview_hash)
    drain_jobs()

    assert len(line.provider.calls) == 6
    assert Iteration.objects.filter(card=card).count() == 2


@pytest.mark.requirement("A021")
def test_an_agent_works_on_a_card_as_often_as_it_was_given(line: Line, drain_jobs: Drain) -> None:
    give(line, 2)
    send_around(line)
    answer(line, ["A", "B", "C"])
    line.start()

    drain_jobs()

    assert len(line.provider.calls) == 2
    assert blocked(line) == (Badge.BLOCKED, "AGENT_TURNS_SPENT")
    assert line.fresh_card().stage_id == line.doing.pk


@pytest.mark.requirement("A021")
def test_running_again_gives_an_agent_no_more_than_it_was_given(line: Line, drain_jobs: Drain) -> None:
    give(line, 1)
    line.provider.script(OVERLOADED)
    turn = line.start()
    drain_jobs()
    turn.refresh_from_db()

    with pytest.raises(Refused) as refusal:
        run_again(line.caller, turn=turn)

    assert refusal.value.code == "AGENT_TURNS_SPENT"
    assert (Turn.objects.count(), len(line.provider.calls)) == (1, 1)


def test_a_turn_that_was_stopped_unsent_uses_up_nothing(line: Line, drain_jobs: Drain) -> None:
    give(line, 1)
    stopped = stop_turn(line.caller, turn=line.start())

    run_again(line.caller, turn=stopped)
    drain_jobs()

    assert blocked(line) == (Badge.DONE, "")


def test_another_agent_has_its_own_bound(line: Line, drain_jobs: Drain) -> None:
    give(line, 1)
    check = line.add_stage("Check")
    pause_rule(line.caller, rule=line.rule)
    line.make_rule(from_stage=line.doing, to_stage=check)
    make_rule(
        line.caller,
        line.board,
        from_stage=check,
        agent=make_agent(line.caller, line.board, name="Checker"),
        to_stage=line.done,
    )
    line.start()

    drain_jobs()

    assert blocked(line) == (Badge.DONE, "")


def test_a_bound_counts_once_it_is_published(line: Line, drain_jobs: Drain) -> None:
    limit_draft(line.caller, agent=line.agent, max_turns=1)
    send_around(line)
    answer(line, ["A", "B"])
    line.start()

    drain_jobs()

    assert len(line.provider.calls) > 2
