"""What this app adds to the prompt of a turn: what was decided about the result so far."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import indent

from agents.models import Turn
from agents.prompt import Section, Source
from reviews.models import Decision
from reviews.selectors.reviews import newest_decision
from reviews.states import Verdict
from workspaces.capabilities import effective

CHANGES = (
    "The result so far was reviewed, and changes were requested: the piece “review” says which. Answer with the whole "
    "work as it is after these changes."
)
APPROVED = "The result so far was reviewed and approved: the piece “review” holds what was said to it."


def prompt_sections(turn: Turn) -> Sequence[Section]:
    """Tell a turn of the decision that led to it: one query, where the workspace has reviews."""
    if "reviews" not in effective(turn.card.board.workspace.capabilities):
        return ()
    decision = newest_decision(turn.card_id)
    remark = _remark(decision, turn) if decision is not None else ""
    return [_section(decision, remark)] if decision is not None and remark else ()


def _remark(decision: Decision, turn: Turn) -> str:
    """Return our words to the decision, or nothing when it is about an older round than the turn comes from."""
    n = decision.review.iteration.n
    if decision.decision == Verdict.REQUEST_CHANGES and n == turn.iteration.n - 1:
        return CHANGES
    if decision.decision == Verdict.APPROVE and n == turn.iteration.n:
        return APPROVED
    return ""


def _section(decision: Decision, remark: str) -> Section:
    source = Source(
        kind="review",
        title="what was said to the result so far",
        text=f"{decision.decided_by.actor.name}:\n{indent(decision.note or '(nothing)', '  ')}",
        record={"id": str(decision.pk), "decision": decision.decision},
    )
    return Section(source=source, remark=remark)
