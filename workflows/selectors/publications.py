"""What publishing a rule would mean, in sentences, and the hash that stands for exactly that."""

from __future__ import annotations

from dataclasses import dataclass

from agents.models import AiAccount
from agents.rules import MOST_TURNS
from agents.selectors import may_deliver, payer_for, trouble_of
from agents.states import AgentState
from bakedbrie.lib.hashing import canonical_hash
from boards.models import Card, Stage
from destinations.selectors.destinations import board_destination
from reviews.selectors.folders import folder_of
from workflows.models import Rule
from workflows.states import OnApproval, RuleReview, RuleState
from workspaces.caller import Caller


@dataclass(frozen=True, kw_only=True)
class Publication:
    """``sentences`` are shown to people; ``preview_hash`` binds a publication to who works, where, and who pays."""

    sentences: tuple[str, ...]
    preview_hash: str


def publication_of(caller: Caller, rule: Rule) -> Publication:
    """Look at a rule that has the parts it would be published with, at its agent, its payer and the rules around it.

    The cards that stand in its column, and whether something is paused, are shown but not hashed.
    """
    payer = payer_for(rule.agent)
    sentences = [_who_works(rule), *_who_pays(caller, rule, payer), *_where_to(rule), *_held(rule), *_not_started(rule)]
    if caller.workspace.dispatch_paused:
        sentences.append("Work is paused in this workspace: cards wait until an owner or admin resumes it.")
    return Publication(sentences=tuple(sentences), preview_hash=_hash(rule, payer))


def _hash(rule: Rule, payer: AiAccount | None) -> str:
    return canonical_hash(
        "publish",
        {
            "rule": str(rule.pk),
            "revision": rule.revision,
            "parts": [str(rule.from_stage_id), str(rule.agent_id), str(rule.to_stage_id)],
            "afterwards": [rule.review, rule.on_approval],
            "agent_version": str(rule.agent.published_id),
            "payer": [str(payer.pk), payer.provider, payer.model] if payer else None,
        },
    )


def _who_works(rule: Rule) -> str:
    version = rule.agent.published
    numbered = f", version {version.n}," if version else ""
    return f"From then on the agent “{rule.agent.name}”{numbered} works on every card that enters “{rule.from_stage}”."


def _who_pays(caller: Caller, rule: Rule, payer: AiAccount | None) -> list[str]:
    if payer is None:
        told = ["No AI account pays for this agent yet: cards wait until one is bound."]
    else:
        told = [f"The AI account “{payer.label}” ({payer.model}) pays for each of them."]
        if trouble_of(payer, caller.workspace):
            told.append("That account cannot be used at the moment, and no other one is used instead.")
    if rule.agent.state == AgentState.PAUSED:
        told.append("The agent is paused: cards wait until it is resumed.")
    if rule.agent.needs_publish:
        told.append("An account was bound to the agent: cards wait until the agent is published again.")
    return told


def _where_to(rule: Rule) -> list[str]:
    """Follow the rules that are on, one query: whether the card is done then, waits, goes on, or comes back."""
    assert rule.to_stage is not None  # a rule without a next column is not published
    on = Rule.objects.select_related("agent", "to_stage").filter(
        board=rule.board_id, state=RuleState.PUBLISHED, to_stage__isnull=False
    )
    by_start = {other.from_stage_id: other for other in on.exclude(pk=rule.pk)} | {rule.from_stage_id: rule}
    there = _there(rule.to_stage, by_start.get(rule.to_stage.pk))
    told = [*_reviewed(rule), f"Then the card goes to “{rule.to_stage}”{there}."]
    seen, here = {rule.from_stage_id}, rule.to_stage
    while here.pk not in seen and (following := by_start.get(here.pk)) is not None and following.to_stage is not None:
        seen.add(here.pk)
        here = following.to_stage
    if here.pk in seen:
        told.append(f"The rules then send a card around, up to {MOST_TURNS} turns in one round. Each turn is paid for.")
    return told


def _reviewed(rule: Rule) -> list[str]:
    if folder_of(rule.board) is None:
        return []
    if rule.review == RuleReview.NONE:
        return ["Nobody reviews what it made."]
    told = ["What it made waits for a person to review it."]
    if rule.on_approval == OnApproval.RETURN:
        told.append("Approved, the agent works on the card once more and is told so.")
    if rule.on_approval == OnApproval.FINISH:
        told.append("Approved, the card is done and nothing is delivered, whatever its next column is.")
    return told


def _held(rule: Rule) -> list[str]:
    """Say it where the board's finished cards go somewhere, and nothing of this agent would."""
    destination = board_destination(rule.board)
    delivers = rule.on_approval == OnApproval.DELIVER and rule.to_stage is not None and rule.to_stage.is_done
    if may_deliver(rule.agent.published) or not delivers or destination is None:
        return []
    return [f"Nothing is delivered to “{destination.name}”: the agent “{rule.agent.name}” may not deliver."]


def _there(stage: Stage, following: Rule | None) -> str:
    if stage.is_done:
        return " and is done"
    if following is not None:
        return f", where “{following.agent.name}” works on it"
    return ", where it waits for a person"


def _not_started(rule: Rule) -> list[str]:
    cards = Card.objects.filter(stage=rule.from_stage_id).count()
    if not cards:
        return []
    stand = f"1 card stands in “{rule.from_stage}”" if cards == 1 else f"{cards} cards stand in “{rule.from_stage}”"
    return [f"{stand} already, which starts nothing: move a card to another column and back to start it."]
