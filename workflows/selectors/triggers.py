"""Everything that starts work on a board, with its state, last error and backlog."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, QuerySet

from agents.models import Turn
from bakedbrie.lib import once
from boards.access import boards_of, get_board
from boards.models import Board
from workflows.models import Rule
from workspaces.caller import Caller

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


def rules_of_boards(boards: QuerySet[Board]) -> QuerySet[Rule]:
    """Return the rules of boards that came from access, in the order of their boards and start columns."""
    rows = Rule.objects.filter(board__in=boards).select_related(*_PARTS)
    return rows.order_by("board", "from_stage__position", "pk")


def boards_with_triggers(caller: Caller, board_id: str | None) -> QuerySet[Board]:
    """Return one board, archived or not, or all that the caller may open and that are not archived."""
    if board_id is None:
        return boards_of(caller).filter(archived_at=None)
    return boards_of(caller).filter(pk=get_board(caller, board_id).pk)


def with_backlogs(rows: Iterable[Rule]) -> list[Trigger]:
    """Return each rule with how many cards wait for it: one query."""
    rules = list(rows)
    waiting = Turn.objects.filter(finished_at__isnull=True, state__in=once.UNSENT, rule_run__rule__in=rules)
    counts = dict(waiting.order_by().values_list("rule_run__rule").annotate(n=Count("pk")))
    return [Trigger(rule=rule, backlog=counts.get(rule.pk, 0)) for rule in rules]
