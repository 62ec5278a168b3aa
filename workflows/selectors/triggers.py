"""Everything that starts work on a board, with its state, last error and backlog."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count

from agents.models import Turn
from bakedbrie.lib import once
from boards.models import Board
from workflows.models import Rule

_PARTS = ("from_stage", "to_stage", "agent", "draft__from_stage", "draft__agent", "draft__to_stage")


@dataclass(frozen=True, kw_only=True)
class Trigger:
    """``backlog`` counts the cards that wait for it or are queued."""

    rule: Rule
    backlog: int


def rules_of(board: Board) -> tuple[Rule, ...]:
    """Return the board's rules with columns, agent and draft, in the order of their start columns."""
    rows = Rule.objects.filter(board=board).select_related(*_PARTS)
    return tuple(rows.order_by("from_stage__position", "pk"))


def triggers_of(boards: Iterable[Board]) -> list[Trigger]:
    """Return the rules of several boards with their backlogs: two queries."""
    rows = Rule.objects.filter(board__in=list(boards)).select_related(*_PARTS)
    rules = list(rows.order_by("board", "from_stage__position", "pk"))
    waiting = Turn.objects.filter(finished_at__isnull=True, state__in=once.UNSENT, rule_run__rule__in=rules)
    counts = dict(waiting.order_by().values_list("rule_run__rule").annotate(n=Count("pk")))
    return [Trigger(rule=rule, backlog=counts.get(rule.pk, 0)) for rule in rules]
