"""Everything that starts work on a board, with its state, last error and backlog."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from django.db.models import Count

from agents.models import Turn
from agents.states import TurnState
from boards.models import Board
from workflows.models import Rule

UNSENT = (TurnState.WAITING, TurnState.QUEUED)


def rules_of(board: Board) -> tuple[Rule, ...]:
    """Return the board's rules with columns, agent and draft, in the order of their start columns."""
    rows = Rule.objects.filter(board=board).select_related(
        "from_stage", "to_stage", "agent", "draft__from_stage", "draft__agent", "draft__to_stage"
    )
    return tuple(rows.order_by("from_stage__position", "pk"))


def triggers_of(boards: Iterable[Board]) -> tuple[list[Rule], dict[uuid.UUID, int]]:
    """Return the rules of several boards, and how many cards wait or are queued at each: its backlog."""
    rules = Rule.objects.filter(board__in=list(boards)).select_related(
        "board", "from_stage", "to_stage", "agent", "draft__from_stage", "draft__agent", "draft__to_stage"
    )
    ordered = list(rules.order_by("board", "from_stage__position", "pk"))
    waiting = Turn.objects.filter(finished_at__isnull=True, state__in=UNSENT, rule_run__rule__in=ordered)
    counts = waiting.values_list("rule_run__rule").annotate(n=Count("pk"))
    return ordered, dict(counts.order_by())
