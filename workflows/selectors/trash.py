"""The trash of a board, and where a card goes that comes out of it."""

from __future__ import annotations

from dataclasses import dataclass

from boards.access import cards_of
from boards.models import Board, Card, Stage
from boards.selectors.boards import columns_of
from workflows.models import Rule
from workflows.selectors.boards import can_write
from workflows.selectors.triggers import rules_of
from workspaces.caller import Caller

TRASHED_SHOWN = 100


@dataclass(frozen=True, kw_only=True)
class Trashed:
    """A card in the trash, the column that it goes back to, and the rule that starts on it there."""

    card: Card
    stage: Stage
    rule: Rule | None


@dataclass(frozen=True, kw_only=True)
class TrashPage:
    """``cards`` are the newest in the trash, ``total`` counts all of them."""

    board: Board
    cards: tuple[Trashed, ...]
    total: int
    can_write: bool


def trash_page(caller: Caller, board: Board) -> TrashPage:
    """Read the trash of a board that came from access: four queries."""
    rows = cards_of(caller).filter(board=board, trashed_at__isnull=False)
    cards = list(rows.select_related("owner").order_by("-trashed_at", "-pk")[:TRASHED_SHOWN])
    return TrashPage(board=board, cards=_ways_back(board, cards), total=rows.count(), can_write=can_write(caller))


def way_back(card: Card) -> Trashed | None:
    """Return what restoring a card would do, for one that came from access and is in the trash: two queries."""
    return _ways_back(card.board, [card])[0] if card.trashed_at is not None else None


def _ways_back(board: Board, cards: list[Card]) -> tuple[Trashed, ...]:
    stages = [column.stage for column in columns_of(board)]
    by_id = {stage.pk: stage for stage in stages}
    rules = {rule.from_stage_id: rule for rule in rules_of(board) if rule.is_on}
    ways = [(card, by_id[card.trashed_from_id] if card.trashed_from_id in by_id else stages[0]) for card in cards]
    return tuple(Trashed(card=card, stage=stage, rule=rules.get(stage.pk)) for card, stage in ways)
