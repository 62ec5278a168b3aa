"""What follows a turn: its result is kept, its card goes on, stops, or runs again."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from django.db import transaction
from django.db.models.functions import Now

from agents.models import Turn
from agents.refusals import CONFIRMATION_NEEDED, TURN_NOT_ENDED
from agents.services.turns import request_stop
from agents.states import AgentState, TurnState
from bakedbrie.lib import once
from bakedbrie.lib.lookups import Lookup
from boards.access import lock_card, may_work_on
from boards.models import Card, Stage
from boards.services.cards import set_badge
from boards.services.placing import lock_stage, lock_stages, place_card
from boards.services.rounds import keep_result
from boards.states import Badge
from workflows.models import Rule
from workflows.refusals import RULE_STATE, STAGE_GONE
from workflows.selectors.progress import goes_in_circles
from workflows.selectors.rules import rule_starting_in
from workflows.services.delivering import deliver_finished
from workflows.services.entering import block_card, enter_stage, holds_target, show_block, spend_turn, start_turn
from workflows.services.reviewing import put_up_for_review, waits_for_review
from workflows.states import RuleState, StandingStill
from workspaces.access import require_writer
from workspaces.caller import Caller

AGAIN = once.SETTLED - {TurnState.DONE}
_UNFINISHED = Lookup(
    lambda pk: (
        Turn.objects.select_for_update(of=("self", "card"), no_key=True)
        .select_related(
            "agent__actor",
            "version",
            "rule_run__rule",
            "rule_run__to_stage",
            "iteration__started_by__member__user",
            "card__board__workspace",
            "card__stage",
            "card__owner",
        )
        .filter(pk=pk, finished_at__isnull=True, state__in=once.SETTLED)
    )
)


@transaction.atomic
def finish_turn(turn_id: uuid.UUID) -> None:
    """Let the card of a turn that is over go on, once.

    Called any number of times and by two processes at once: the turn's row is locked, and ``finished_at`` says that
    somebody was first. The turn is locked before its card, everywhere. Also on an archived board what was started
    there still ends.
    """
    turn = _UNFINISHED.first(turn_id)
    if turn is None:
        return
    Turn.objects.filter(pk=turn.pk).update(finished_at=Now(), updated_at=Now())
    card = turn.card
    if turn.state == TurnState.DONE:
        _go_on(turn, card)
    elif turn.state == TurnState.CANCELED:
        set_badge(card, Badge.IDLE)
    else:
        show_block(card=card, code=turn.code or turn.state.upper(), rule=turn.rule_run.rule)


@transaction.atomic
def run_again(caller: Caller, *, turn: Turn, confirm: bool = False) -> Turn:
    """Run the card's newest turn once more, in the same round, with the agent and payer of today.

    After an unclear turn the caller confirms that it may cost twice.
    """
    require_writer(caller)
    card = lock_card(turn.card)
    newest = Turn.objects.select_related("rule_run", "iteration").filter(card=card).latest("pk")
    if newest.pk != turn.pk or newest.finished_at is None or newest.state not in AGAIN or card.stage is None:
        raise TURN_NOT_ENDED()
    rule = rule_starting_in(lock_stage(card.stage).pk)
    if rule is None or rule.pk != newest.rule_run.rule_id:
        raise RULE_STATE("The rule that started this turn does not start in the card's column any more.")
    if not holds_target(rule):
        raise STAGE_GONE()
    if newest.state == TurnState.UNKNOWN and not confirm:
        raise CONFIRMATION_NEEDED(
            "Nobody knows whether the earlier turn was paid for: running it again may cost twice.",
            confirm=["may_cost_twice"],
        )
    spent = spend_turn(newest.iteration, rule)
    if spent is not None:
        raise spent()
    return start_turn(caller, card=card, iteration=newest.iteration, rule=rule)


@transaction.atomic
def stop_turn(caller: Caller, *, turn: Turn) -> Turn:
    """Stop a turn. One that was not sent yet ends at once; a running one is closed and then settles."""
    request_stop(caller, turn=turn)
    finish_turn(turn.pk)
    turn.refresh_from_db()
    return turn


def _go_on(turn: Turn, card: Card) -> None:
    """Keep the result, then let it wait for a person where the board reviews it, or take the card to the rule's next
    column, unless something stands against it.
    """
    actor, run = turn.agent.actor, turn.rule_run
    keep_result(card=card, iteration=turn.iteration, made_by=actor, markdown=turn.reply)
    maker = turn.iteration.started_by.member
    caller = Caller.for_agent(workspace=card.board.workspace, agent=actor, started_by=maker) if maker else None
    stages = lock_stages(card.stage_id, run.to_stage_id)
    still = _why_still(turn, stages, caller)
    if still is StandingStill.BOARD_ARCHIVED:
        set_badge(card, Badge.IDLE)
    elif still is not None or caller is None or run.to_stage is None:
        block_card(actor, card=card, code=still or StandingStill.STAGE_GONE, rule=run.rule)
    else:
        if run.rule.last_error:
            Rule.objects.filter(pk=run.rule_id).update(last_error="", last_error_at=None)
        if waits_for_review(turn):
            put_up_for_review(caller, turn=turn)
            return
        moved = place_card(caller, card=card, stage=run.to_stage, locked=stages)
        enter_stage(caller, card=moved, iteration=turn.iteration)
        if run.to_stage.is_done:
            deliver_finished(turn, card=moved)


def _why_still(turn: Turn, stages: Mapping[uuid.UUID, Stage], caller: Caller | None) -> StandingStill | None:
    """Return why the card of a finished turn stays where it is, or None when it may move."""
    run, card = turn.rule_run, turn.card
    reasons = {
        StandingStill.BOARD_ARCHIVED: card.board.archived_at is not None,
        StandingStill.RULE_PAUSED: run.rule.state != RuleState.PUBLISHED,
        StandingStill.AGENT_RETIRED: turn.agent.state == AgentState.RETIRED,
        StandingStill.STAGE_GONE: run.to_stage_id not in stages,
        StandingStill.MEMBER_REMOVED: caller is None or not may_work_on(caller.member, card.board),
    }
    reason = next((reason for reason, holds in reasons.items() if holds), None)
    return reason or (StandingStill.NO_PROGRESS if _is_stuck(turn) else None)


def _is_stuck(turn: Turn) -> bool:
    """Whether going on would start another turn of a round that only repeats itself."""
    to_stage = turn.rule_run.to_stage
    return goes_in_circles(turn.iteration) and to_stage is not None and rule_starting_in(to_stage.pk) is not None
