"""Rules: write a draft, publish it, pause it.

Each locks the board first, as retiring an agent does: what a rule uses cannot go away while it is published.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from agents.models import Agent, Turn
from agents.refusals import AGENT_NOT_PUBLISHED, AGENT_RETIRED
from agents.states import AgentState
from bakedbrie.lib import clock
from bakedbrie.lib.refusals import PREVIEW_CHANGED
from boards.access import lock_board, require_manager, require_open
from boards.models import Board, Card, Stage
from boards.services.events import record_event
from boards.states import EventKind
from workflows.access import get_rule, lock_rule
from workflows.models import Rule, RuleDraft
from workflows.refusals import RULE_INVALID, RULE_STAGE_TAKEN, RULE_STATE, STAGE_GONE
from workflows.selectors.publications import Publication, publication_of
from workflows.services.canceling import cancel_unsent
from workflows.states import OnApproval, RuleReview, RuleState
from workspaces.access import require_capability
from workspaces.caller import Caller


@dataclass(frozen=True, kw_only=True)
class Published:
    """A rule that is on now, and how many cards stood in its column before: publishing does not start them."""

    rule: Rule
    cards_in_stage: int


@dataclass(frozen=True, kw_only=True)
class Then:
    """What follows a turn, as far as it is told: what is None stays as it is."""

    review: RuleReview | None = None
    on_approval: OnApproval | None = None


_AS_IT_IS = Then()


@transaction.atomic
def write_rule_draft(
    caller: Caller,
    *,
    board: Board,
    rule: Rule | None = None,
    from_stage: Stage,
    agent: Agent,
    to_stage: Stage,
    then: Then = _AS_IT_IS,
) -> Rule:
    """Write a new rule, or what publishing an existing one would change. Nothing starts before it is published.

    One whose work nobody reviews needs api_workflow.
    """
    require_manager(caller, board)
    if then.review is RuleReview.NONE:
        require_capability(caller, "api_workflow")
    lock_board(board)
    _require_sound(board, from_stage, agent, to_stage)
    written = Rule(board=board, revision=0) if rule is None else lock_rule(rule)
    if written.board_id != board.pk:
        raise RULE_INVALID("This rule belongs to another board.")
    parts: dict[str, Any] = {"from_stage": from_stage, "agent": agent, "to_stage": to_stage}
    _redraft(written, {**parts, **_told(then)})
    record_event(board, EventKind.RULE_CHANGED, actor=caller.actor, rule=str(written.pk), change="drafted")
    return written


@transaction.atomic
def publish_rule(caller: Caller, *, rule: Rule) -> Published:
    """Turn the rule on, in its drafted form where there is one."""
    require_manager(caller, rule.board)
    lock_board(rule.board)
    locked = _as_published(lock_rule(rule))
    for other in _without_target(locked):
        _pause(other)
    locked.state = RuleState.PUBLISHED
    locked.version += 1
    locked.revision += 1
    locked.last_error, locked.last_error_at = "", None
    locked.save()
    RuleDraft.objects.filter(rule=locked).delete()
    record_event(
        locked.board,
        EventKind.RULE_CHANGED,
        actor=caller.actor,
        rule=str(locked.pk),
        change="published",
        version=locked.version,
    )
    return Published(rule=locked, cards_in_stage=Card.objects.filter(stage=locked.from_stage).count())


def preview_publication(caller: Caller, *, rule: Rule) -> Publication:
    """Say what publishing the rule would mean, or refuse what publishing would refuse. Changes nothing."""
    require_manager(caller, rule.board)
    require_open(rule.board)
    return publication_of(caller, _as_published(get_rule(caller, rule.pk)))


@transaction.atomic
def publish_as_shown(caller: Caller, *, rule: Rule, preview_hash: str) -> Published:
    """Publish the rule if what its preview showed still holds; refuse with PREVIEW_CHANGED otherwise."""
    require_manager(caller, rule.board)
    lock_board(rule.board)
    if publication_of(caller, _as_published(lock_rule(rule))).preview_hash != preview_hash:
        raise PREVIEW_CHANGED()
    return publish_rule(caller, rule=rule)


@transaction.atomic
def pause_rule(caller: Caller, *, rule: Rule) -> Rule:
    """Turn the rule off. A turn at work keeps its result, its card does not move; one that was not sent is canceled."""
    require_manager(caller, rule.board)
    lock_board(rule.board)
    cancel_unsent(caller, Turn.objects.filter(rule_run__rule=rule))  # turns are locked before rules
    locked = lock_rule(rule)
    if locked.state != RuleState.PUBLISHED:
        raise RULE_STATE("Only a published rule can be paused.")
    _pause(locked)
    record_event(locked.board, EventKind.RULE_CHANGED, actor=caller.actor, rule=str(locked.pk), change="paused")
    return locked


def _as_published(rule: Rule) -> Rule:
    """Give the rule the parts of its draft, where it has one, without saving it, and return it.

    Refuses what stands against publishing it like that.
    """
    draft = RuleDraft.objects.select_related("from_stage", "agent", "to_stage").filter(rule=rule).first()
    if rule.state == RuleState.PUBLISHED and rule.to_stage_id is not None and draft is None:
        raise RULE_STATE("This rule is published already, and there is no newer draft of it.")
    if draft is not None:
        rule.from_stage, rule.agent, rule.to_stage = draft.from_stage, draft.agent, draft.to_stage
        rule.review, rule.on_approval = draft.review, draft.on_approval
    if rule.to_stage is None:
        raise STAGE_GONE()
    _require_sound(rule.board, rule.from_stage, rule.agent, rule.to_stage)
    if rule.agent.published_id is None:
        raise AGENT_NOT_PUBLISHED()
    _without_target(rule)
    return rule


def _pause(rule: Rule) -> None:
    rule.state = RuleState.PAUSED
    rule.revision += 1
    rule.save(update_fields=["state", "revision", "updated_at"])


def _told(then: Then) -> dict[str, str]:
    told = {"review": then.review, "on_approval": then.on_approval}
    return {name: value.value for name, value in told.items() if value is not None}


def _redraft(rule: Rule, parts: Mapping[str, Any]) -> None:
    """A rule that was never published is its own draft; another one keeps working as it is."""
    rule.revision += 1
    if rule.state == RuleState.DRAFT:
        for name, value in parts.items():
            setattr(rule, name, value)
    else:
        kept = {"review": rule.review, "on_approval": rule.on_approval}
        changed = {**parts, "updated_at": clock.now()}
        RuleDraft.objects.update_or_create(rule=rule, defaults=changed, create_defaults={**kept, **changed})
    rule.save()


def _require_sound(board: Board, from_stage: Stage, agent: Agent, to_stage: Stage) -> None:
    if {from_stage.board_id, to_stage.board_id, agent.board_id} != {board.pk}:
        raise RULE_INVALID("Columns and agent must be of this board.")
    if from_stage.pk == to_stage.pk:
        raise RULE_INVALID("The card has to go to another column than the one the rule starts in.")
    if from_stage.is_done:
        raise RULE_INVALID("Nothing starts in Done.")
    if agent.state == AgentState.RETIRED:
        raise AGENT_RETIRED()


def _without_target(rule: Rule) -> list[Rule]:
    """Return the published rules that start where this one does and have lost their target column: they give way.

    One that is on does not: RULE_STAGE_TAKEN.
    """
    others = Rule.objects.filter(from_stage=rule.from_stage_id, state=RuleState.PUBLISHED).exclude(pk=rule.pk)
    found = list(others)
    for other in found:
        if other.is_on:
            raise RULE_STAGE_TAKEN(rule_id=str(other.pk))
    return found


def delete_rules(board: Board) -> None:
    """Delete the rules of a locked board that goes as a whole; none of them ever started anything."""
    Rule.objects.filter(board=board).delete()
