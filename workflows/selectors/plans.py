"""What an approval leads to, looked up as it is now: where the card goes, and what starts there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents.selectors import may_deliver
from boards.contents import Content
from boards.models import Stage
from boards.states import StageRole
from destinations.models import Destination
from destinations.selectors.destinations import destination_of
from reviews.models import Review
from reviews.selectors.folders import folder_of
from reviews.states import ReviewState
from workflows.models import Rule, RuleRun
from workflows.selectors.chains import agreed, chain_told
from workflows.selectors.leaving import leaving_of
from workflows.selectors.outgoing import Outgoing, outgoing_of
from workflows.selectors.rules import Chain, Link, chain_from
from workflows.states import DeliversAfter, OnApproval, RuleState, StandingStill
from workspaces.caller import Caller


@dataclass(frozen=True, kw_only=True)
class Plan:
    """``following`` is what a decision is bound to, ``sentences`` say it to people.

    ``code`` is why the card would stay where it is, or nothing. ``rule`` is the one whose turn is reviewed.
    ``chain`` is all that starts without a person, ``goes_to`` where what is made there leaves for without one.
    ``is_held``: the card has a destination and comes to Done, but its agent may not deliver.
    """

    action: OnApproval
    rule: Rule
    to_stage: Stage | None
    chain: Chain | None
    goes_to: Destination | None
    code: str
    outgoing: Outgoing | None
    is_held: bool
    sentences: tuple[str, ...]

    @property
    def starts(self) -> Link | None:
        """Return what starts at once."""
        return self.chain.links[0] if self.chain is not None and self.chain.links else None

    @property
    def following(self) -> dict[str, Any]:
        """Return ids and versions alone: a column that is renamed is still the same column."""
        return {
            "action": self.action.value,
            "to_stage": str(self.to_stage.pk) if self.to_stage else None,
            "starts": agreed(self.chain),
            "then": [str(self.goes_to.pk), self.goes_to.revision] if self.goes_to else None,
            "stays": self.code or None,
            "destination": self.outgoing.told if self.outgoing else None,
        }


def plan_of(caller: Caller, review: Review, contents: Sequence[Content]) -> Plan:
    """Look at a review that came from `reviews.access` with its round's contents, at the rule that led to it, and at
    where the card and its files would go."""
    run = RuleRun.objects.select_related("rule", "to_stage__board").get(turn=review.turn_id)
    action = _action(review, run)
    to_stage = _target(review, run, action)
    chain = _chain(to_stage)
    code = _why_it_stays(run, action, chain)
    chain = None if code else chain
    is_returned = action is OnApproval.RETURN
    leaving = leaving_of(review.card, chain, is_returned=is_returned) if chain is not None else None
    delivers = action is OnApproval.DELIVER and to_stage is not None and to_stage.is_done
    may = may_deliver(review.turn.version)
    outgoing = _outgoing(review, contents) if delivers and may else None
    is_held = delivers and not may and destination_of(review.card) is not None
    starts = chain_told(caller, review.card, chain, is_returned=is_returned)
    return Plan(
        action=action,
        rule=run.rule,
        to_stage=to_stage,
        chain=chain,
        goes_to=leaving.destination if leaving is not None and leaving.after is DeliversAfter.FINISH else None,
        code=code,
        outgoing=outgoing,
        is_held=is_held,
        sentences=(
            *_sentences(action, to_stage, code),
            *starts,
            *([leaving.sentence] if leaving is not None else []),
            *_delivered(action, to_stage, outgoing, review.turn.agent.name if is_held else ""),
        ),
    )


def _chain(to_stage: Stage | None) -> Chain | None:
    """Return all that starts where the card goes; in Done nothing can."""
    if to_stage is None or to_stage.is_done:
        return None
    return chain_from(to_stage, has_reviews=folder_of(to_stage.board) is not None)


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


def _why_it_stays(run: RuleRun, action: OnApproval, chain: Chain | None) -> str:
    if action is OnApproval.DELIVER and run.to_stage is None:
        return StandingStill.STAGE_GONE
    if action is OnApproval.RETURN and (chain is None or not chain.links or run.rule.state != RuleState.PUBLISHED):
        return StandingStill.RULE_PAUSED
    return ""


def _sentences(action: OnApproval, to_stage: Stage | None, code: str) -> Sequence[str]:
    if code == StandingStill.STAGE_GONE:
        return ["The next column was deleted: approved, the card stays where it is, and a person moves it."]
    if code:
        return ["The rule is paused: approved, the card stays where it is, and a person moves it."]
    assert to_stage is not None  # only a code stands for none
    if action is OnApproval.RETURN:
        return ["Approved, the agent works on the card once more and is told so."]
    return [f"Approved, the card moves to “{to_stage.name}”" + (" and is done." if to_stage.is_done else ".")]


def _delivered(action: OnApproval, to_stage: Stage | None, outgoing: Outgoing | None, held_agent: str) -> Sequence[str]:
    if held_agent:
        return [f"Nothing is delivered: the agent “{held_agent}” may not deliver."]
    if outgoing is not None:
        return [outgoing.sentence]
    is_over = to_stage is not None and to_stage.is_done and action is not OnApproval.RETURN
    return ["Nothing is delivered."] if is_over else []
