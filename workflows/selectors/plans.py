"""What an approval leads to, looked up as it is now: where the card goes, and what starts there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents.selectors import trouble_of
from boards.contents import Content
from boards.models import Stage
from boards.states import StageRole
from destinations.selectors.destinations import destination_of
from reviews.models import Review
from reviews.states import ReviewState
from workflows.models import Rule, RuleRun
from workflows.selectors.outgoing import Outgoing, outgoing_of
from workflows.selectors.rules import Link, chain_from
from workflows.states import OnApproval, RuleState, StandingStill
from workspaces.caller import Caller


@dataclass(frozen=True, kw_only=True)
class Plan:
    """``following`` is what a decision is bound to, ``sentences`` say it to people.

    ``code`` is why the card would stay where it is, or nothing. ``rule`` is the one whose turn is reviewed.
    ``is_held``: the card has a destination and comes to Done, but its agent may not deliver.
    """

    action: OnApproval
    rule: Rule
    to_stage: Stage | None
    starts: Link | None
    code: str
    outgoing: Outgoing | None
    is_held: bool
    sentences: tuple[str, ...]

    @property
    def following(self) -> dict[str, Any]:
        """Return ids and versions alone: a column that is renamed is still the same column."""
        return {
            "action": self.action.value,
            "to_stage": str(self.to_stage.pk) if self.to_stage else None,
            "starts": _starting(self.starts),
            "stays": self.code or None,
            "destination": self.outgoing.told if self.outgoing else None,
        }


def plan_of(caller: Caller, review: Review, contents: Sequence[Content]) -> Plan:
    """Look at a review that came from `reviews.access` with its round's contents, at the rule that led to it, and at
    where the card and its files would go."""
    run = RuleRun.objects.select_related("rule", "to_stage__board").get(turn=review.turn_id)
    action = _action(review, run)
    to_stage = _target(review, run, action)
    chain = chain_from(to_stage) if to_stage is not None and not to_stage.is_done else None
    starts = chain.links[0] if chain is not None and chain.links else None
    code = _why_it_stays(run, action, starts)
    delivers = action is OnApproval.DELIVER and to_stage is not None and to_stage.is_done
    may_deliver = review.turn.version.permissions.get("deliver", "off") != "off"
    outgoing = _outgoing(review, contents) if delivers and may_deliver else None
    is_held = delivers and not may_deliver and destination_of(review.card) is not None
    moves = _sentences(caller, action, to_stage, starts, code)
    return Plan(
        action=action,
        rule=run.rule,
        to_stage=to_stage,
        starts=None if code else starts,
        code=code,
        outgoing=outgoing,
        is_held=is_held,
        sentences=(*moves, *_delivered(action, to_stage, outgoing, review.turn.agent.name if is_held else "")),
    )


def _outgoing(review: Review, contents: Sequence[Content]) -> Outgoing | None:
    """The approval itself is the person's word to an agent that has to ask. The day is the one the work was done."""
    return outgoing_of(review.card, review.iteration, contents, finished_at=review.opened_at)


def _action(review: Review, run: RuleRun) -> OnApproval:
    """A round returns to its agent once: what the agent makes then goes on."""
    action = OnApproval(run.on_approval)
    before = Review.objects.filter(iteration=review.iteration_id, state=ReviewState.APPROVED).exclude(pk=review.pk)
    returned = action is OnApproval.RETURN and before.filter(next__action=OnApproval.RETURN.value).exists()
    return OnApproval.DELIVER if returned else action


def _target(review: Review, run: RuleRun, action: OnApproval) -> Stage | None:
    if action is OnApproval.DELIVER:
        return run.to_stage
    if action is OnApproval.FINISH:
        return Stage.objects.select_related("board").get(board=review.board_id, role=StageRole.DONE)
    return review.card.stage


def _why_it_stays(run: RuleRun, action: OnApproval, starts: Link | None) -> str:
    if action is OnApproval.DELIVER and run.to_stage is None:
        return StandingStill.STAGE_GONE
    if action is OnApproval.RETURN and (starts is None or run.rule.state != RuleState.PUBLISHED):
        return StandingStill.RULE_PAUSED
    return ""


def _starting(link: Link | None) -> dict[str, Any] | None:
    if link is None:
        return None
    payer = link.payer
    return {
        "rule": str(link.rule.pk),
        "rule_version": link.rule.version,
        "agent": str(link.agent.pk),
        "agent_version": str(link.agent.published_id),
        "payer": [str(payer.pk), payer.provider, payer.model] if payer else None,
        "next": str(link.to_stage.pk),
    }


def _sentences(
    caller: Caller, action: OnApproval, to_stage: Stage | None, starts: Link | None, code: str
) -> Sequence[str]:
    if code == StandingStill.STAGE_GONE:
        return ["The next column was deleted: approved, the card stays where it is, and a person moves it."]
    if code:
        return ["The rule is paused: approved, the card stays where it is, and a person moves it."]
    assert to_stage is not None  # only a code stands for none
    if action is OnApproval.RETURN:
        return ["Approved, the agent works on the card once more and is told so.", *_who_works(caller, starts)]
    told = [f"Approved, the card moves to “{to_stage.name}”" + (" and is done." if to_stage.is_done else ".")]
    return [*told, *_who_works(caller, starts)]


def _delivered(action: OnApproval, to_stage: Stage | None, outgoing: Outgoing | None, held_agent: str) -> Sequence[str]:
    if held_agent:
        return [f"Nothing is delivered: the agent “{held_agent}” may not deliver."]
    if outgoing is not None:
        return [outgoing.sentence]
    is_over = to_stage is not None and to_stage.is_done and action is not OnApproval.RETURN
    return ["Nothing is delivered."] if is_over else []


def _who_works(caller: Caller, link: Link | None) -> list[str]:
    if link is None:
        return []
    told = [f"In “{link.stage.name}” the agent “{link.agent.name}” works on it."]
    if link.payer is None:
        return [*told, "No AI account pays for this agent yet, so the card waits until one is bound."]
    told.append(f"The AI account “{link.payer.label}” ({link.payer.model}) pays.")
    if trouble_of(link.payer, caller.workspace):
        told.append("That account cannot be used at the moment, and no other one is used instead.")
    return told
