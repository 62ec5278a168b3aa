"""The column that a rule moves cards to may be deleted at any moment: nobody crashes, and nobody waits for ever."""

from __future__ import annotations

import pytest
from django.db import transaction

from agents.models import Turn
from agents.states import TurnState
from bakedbrie.lib import clock
from bakedbrie.lib.refusals import Refused
from boards.models import Card, Stage
from boards.services.stages import delete_stage
from boards.states import Badge
from tests.factories.workflows import Line
from tests.support.fake_provider import fails
from tests.support.races import in_thread, wait_until_waiting
from workflows.access import get_rule, lock_rule
from workflows.models import Rule
from workflows.services.cards import create_card
from workflows.services.moves import move_card, preview_move
from workflows.services.rules import publish_rule, write_rule_draft
from workflows.services.turns import finish_turn, run_again

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def extra(line: Line) -> Stage:
    """A column that can be deleted, to which the line's rule takes its cards."""
    stage = line.add_stage("Extra")
    rule = get_rule(line.caller, line.rule.pk)
    write_rule_draft(line.caller, board=line.board, rule=rule, from_stage=line.doing, agent=line.agent, to_stage=stage)
    publish_rule(line.caller, rule=rule)
    return stage


def delete(line: Line, stage: Stage) -> None:
    delete_stage(line.caller, stage=Stage.objects.select_related("board").get(pk=stage.pk))


def test_a_move_that_finds_its_next_column_deleted_is_refused_and_starts_nothing(line: Line, extra: Stage) -> None:
    shown = preview_move(line.caller, card=line.card, stage=line.doing).preview_hash

    with transaction.atomic():
        delete(line, extra)
        moving = in_thread(
            lambda: move_card(line.caller, card=line.card, stage=line.doing, preview_hash=shown),
        )
        wait_until_waiting()

    outcome = moving.outcome()
    assert isinstance(outcome, Refused)
    assert outcome.code == "PREVIEW_CHANGED"
    assert line.fresh_card().stage_id == line.todo.pk
    assert not Turn.objects.exists()


def test_a_column_that_a_started_turn_goes_to_is_deleted_after_the_start(line: Line, extra: Stage) -> None:
    shown = preview_move(line.caller, card=line.card, stage=line.doing).preview_hash

    with transaction.atomic():
        move_card(line.caller, card=line.card, stage=line.doing, preview_hash=shown)
        deleting = in_thread(lambda: delete(line, extra))
        wait_until_waiting()

    assert deleting.outcome() is None
    turn = Turn.objects.get()
    line.run(turn)
    finish_turn(turn.pk)
    card = line.fresh_card()
    assert (card.stage_id, card.badge, card.badge_reason) == (line.doing.pk, Badge.BLOCKED, "STAGE_GONE")


def test_a_new_card_in_a_column_whose_rule_just_lost_its_target_starts_nothing(line: Line, extra: Stage) -> None:
    with transaction.atomic():
        delete(line, extra)
        creating = in_thread(lambda: create_card(line.caller, board=line.board, stage=line.doing, title="Rolls"))
        wait_until_waiting()

    card = creating.outcome()
    assert isinstance(card, Card)
    assert (card.stage_id, card.badge) == (line.doing.pk, Badge.IDLE)
    assert not Turn.objects.exists()


def test_running_again_without_a_next_column_is_refused(line: Line, extra: Stage) -> None:
    line.provider.script(fails(400, {}))
    turn = line.start()
    line.run(turn)
    finish_turn(turn.pk)
    turn.refresh_from_db()

    with transaction.atomic():
        delete(line, extra)
        running = in_thread(lambda: run_again(line.caller, turn=turn))
        wait_until_waiting()

    outcome = running.outcome()
    assert isinstance(outcome, Refused)
    assert outcome.code == "STAGE_GONE"
    assert Turn.objects.count() == 1


def test_a_turn_that_ends_while_its_next_column_is_deleted_keeps_its_card_there(line: Line, extra: Stage) -> None:
    turn = line.start()
    line.run(turn)

    with transaction.atomic():
        delete(line, extra)
        finishing = in_thread(lambda: finish_turn(turn.pk))
        wait_until_waiting()

    assert finishing.outcome() is None
    turn.refresh_from_db()
    card = line.fresh_card()
    assert (turn.state, turn.finished_at is not None) == (TurnState.DONE, True)
    assert (card.stage_id, card.badge, card.badge_reason) == (line.doing.pk, Badge.BLOCKED, "STAGE_GONE")


def test_a_card_that_goes_on_and_a_deletion_wait_for_the_rule_in_one_order(line: Line, extra: Stage) -> None:
    turn = line.start()
    line.run(turn)
    Rule.objects.filter(pk=line.rule.pk).update(last_error="HTTP_500", last_error_at=clock.now())

    with transaction.atomic():
        lock_rule(line.rule)
        finishing = in_thread(lambda: finish_turn(turn.pk))
        wait_until_waiting(1)
        deleting = in_thread(lambda: delete(line, extra))
        wait_until_waiting(2)

    refused = deleting.outcome()
    assert finishing.outcome() is None
    assert isinstance(refused, Refused)
    assert refused.code == "STAGE_NOT_EMPTY"
    assert line.fresh_card().stage_id == extra.pk
    assert Rule.objects.get(pk=line.rule.pk).last_error == ""
