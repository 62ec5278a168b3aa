"""Which rule starts in a column, and where a card would go from there without a person."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from agents.models import Agent, AiAccount
from agents.selectors import payer_for
from bakedbrie.lib.lookups import Lookup
from boards.models import Stage
from workflows.models import Rule
from workflows.states import RuleReview, RuleState

_STARTING_IN = Lookup(
    lambda stage_id: Rule.objects.select_related("agent__actor", "agent__published", "to_stage").filter(
        from_stage=stage_id, state=RuleState.PUBLISHED, to_stage__isnull=False, board__archived_at__isnull=True
    )
)


def rule_starting_in(stage_id: uuid.UUID) -> Rule | None:
    """Return the rule that works on cards entering this column, on a board that is not archived."""
    return _STARTING_IN.first(stage_id)


@dataclass(frozen=True, kw_only=True)
class Link:
    """One column of a chain: the rule that starts there, who works, who pays, and the column after it.

    ``is_reviewed``: what was made waits there for a person first.
    """

    stage: Stage
    rule: Rule
    agent: Agent
    payer: AiAccount | None
    to_stage: Stage
    is_reviewed: bool = False


@dataclass(frozen=True, kw_only=True)
class Chain:
    """Every column a card reaches by itself, and the one where it stays. ``is_loop``: the last link leads back into the
    chain."""

    links: tuple[Link, ...]
    end: Stage
    is_loop: bool


def chain_from(stage: Stage, *, has_reviews: bool = False) -> Chain:
    """Follow the board's rules from ``stage`` on; a column that was met before ends the walk, and on a board that
    ``has_reviews`` so does the first rule whose work is reviewed."""
    rows = Rule.objects.select_related("agent__published", "agent__actor", "from_stage", "to_stage")
    by_start = {rule.from_stage_id: rule for rule in rows.filter(board=stage.board_id, state=RuleState.PUBLISHED)}
    steps: list[tuple[Rule, Stage]] = []
    seen = {stage.pk}
    here, is_loop = stage, False
    while (rule := by_start.get(here.pk)) is not None and rule.to_stage is not None and not is_loop:
        steps.append((rule, rule.to_stage))
        if has_reviews and rule.review == RuleReview.FOLDER:
            break
        here = rule.to_stage
        is_loop = here.pk in seen
        seen.add(here.pk)
    links = tuple(
        Link(
            stage=rule.from_stage,
            rule=rule,
            agent=rule.agent,
            payer=payer_for(rule.agent),
            to_stage=to_stage,
            is_reviewed=has_reviews and rule.review == RuleReview.FOLDER,
        )
        for rule, to_stage in steps
    )
    return Chain(links=links, end=here, is_loop=is_loop)
