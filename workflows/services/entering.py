"""A card enters a column: the only place where a rule starts work."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F, Q

from agents.models import Turn
from agents.rules import MOST_TURNS
from agents.services.turns import queue_turn
from bakedbrie.lib import clock
from bakedbrie.lib.refusals import Refusal
from boards.models import Card, Iteration
from boards.services.cards import set_badge
from boards.services.events import record_event
from boards.services.placing import hold_stage
from boards.services.rounds import start_round
from boards.states import Badge, EventKind
from workflows.models import Rule, RuleRun
from workflows.refusals import AGENT_TURNS_SPENT, RULE_LOOP
from workflows.selectors.rules import Link, rule_starting_in
from workspaces.caller import Caller
from workspaces.models import Actor


@transaction.atomic(savepoint=False)
def enter_stage(caller: Caller, *, card: Card, iteration: Iteration | None = None) -> Turn | None:
    """Start what starts in the column the card now stands in, and return the turn; None when nothing does.

    Runs in the transaction that placed the card, with the card locked. Without ``iteration`` the card comes from
    outside a running chain and a new round begins. A round that is used up blocks the card: RULE_LOOP, or
    AGENT_TURNS_SPENT where the agent was given less.
    """
    is_done = card.stage is not None and card.stage.is_done
    rule = rule_starting_in(card.stage_id) if card.stage_id and not is_done else None  # in Done none can start
    if rule is None or not holds_target(rule):
        if not (is_done and card.badge == Badge.DONE):  # placing the card there showed it
            set_badge(card, Badge.DONE if is_done else Badge.IDLE)
        return None
    current = iteration or start_round(caller, card=card)
    spent = spend_turn(current, rule)
    if spent is not None:
        block_card(caller.actor, card=card, code=spent.code, rule=rule)
        return None
    return start_turn(caller, card=card, iteration=current, rule=rule)


def is_as_shown(started: Turn | None, shown: Link | None) -> bool:
    """Whether exactly that was started which somebody was shown before they agreed to it.

    Rules, agents and payers are not locked, and the next column is held only when something starts: so what started
    is compared with what was shown, in the same transaction.
    """
    if started is None or shown is None:
        return started is None and shown is None
    run = started.rule_run
    return (run.rule_id, run.version, run.to_stage_id, started.version_id, started.account_id) == (
        shown.rule.pk,
        shown.rule.version,
        shown.to_stage.pk,
        shown.agent.published_id,
        shown.payer.pk if shown.payer else None,
    )


def spend_turn(iteration: Iteration, rule: Rule) -> Refusal | None:
    """Take one turn from what the round and the rule's agent have left, or return what is used up.

    The card is locked. An agent's own bound counts the turns that were sent or still may be.
    """
    version = rule.agent.published
    unsent = Q(sent_at__isnull=True, finished_at__isnull=False)
    worked = Turn.objects.filter(iteration=iteration, agent=rule.agent).exclude(unsent)
    if version is not None and worked.count() >= version.max_turns:
        return AGENT_TURNS_SPENT
    left = Iteration.objects.filter(pk=iteration.pk, turns__lt=MOST_TURNS)
    return None if left.update(turns=F("turns") + 1) else RULE_LOOP


def holds_target(rule: Rule) -> bool:
    """Keep the rule's next column until the transaction ends; False when it was deleted since the rule was read, which
    turned the rule off."""
    return rule.to_stage_id is not None and hold_stage(rule.to_stage_id)


def start_turn(caller: Caller, *, card: Card, iteration: Iteration, rule: Rule) -> Turn:
    """Queue the rule's agent for a locked card, once `holds_target` and `spend_turn` have let it."""
    turn = queue_turn(caller, card=card, iteration=iteration, agent=rule.agent)
    RuleRun.objects.create(
        turn=turn,
        rule=rule,
        version=rule.version,
        to_stage=rule.to_stage,
        review=rule.review,
        on_approval=rule.on_approval,
    )
    return turn


def block_card(actor: Actor, *, card: Card, code: str, rule: Rule) -> None:
    """Say on the card, in its history and at the rule why the card does not go on by itself."""
    record_event(card.board, EventKind.CARD_BLOCKED, actor=actor, card=card, code=code)
    show_block(card=card, code=code, rule=rule)


def show_block(*, card: Card, code: str, rule: Rule) -> None:
    """Say on the card and at the rule why the card does not go on; for what its history tells already."""
    set_badge(card, Badge.BLOCKED, code)
    now = clock.now()
    Rule.objects.filter(pk=rule.pk).update(last_error=code, last_error_at=now, updated_at=now)
