"""A board with everything on it, for the page and for read_board, in a constant number of queries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, F, Window
from django.db.models.functions import RowNumber

from agents.models import Agent
from boards.access import is_manager
from boards.models import Board, BoardMember, Card, Stage
from workflows.models import Rule
from workflows.selectors.triggers import rules_of
from workspaces.access import require_reader
from workspaces.caller import Caller
from workspaces.roles import Role, is_at_least
from workspaces.states import Preset

CARDS_SHOWN = 100


@dataclass(frozen=True, kw_only=True)
class Column:
    """``cards`` are the first ones in their order, ``count`` counts all of them; ``rule`` is the one that is on."""

    stage: Stage
    count: int
    cards: tuple[Card, ...]
    rule: Rule | None

    @property
    def hidden(self) -> int:
        return self.count - len(self.cards)


@dataclass(frozen=True, kw_only=True)
class BoardPage:
    """What the board page and read_board show. ``rules`` are all of them, drafts and paused ones too."""

    board: Board
    columns: tuple[Column, ...]
    agents: tuple[Agent, ...]
    rules: tuple[Rule, ...]
    members: tuple[BoardMember, ...]
    can_write: bool
    can_manage: bool
    dispatch_paused: bool


def board_page(caller: Caller, board: Board) -> BoardPage:
    """Read a board that came from `boards.access`, with its cards."""
    return _read(caller, board, _first_cards(board))


def board_overview(caller: Caller, board: Board) -> BoardPage:
    """Read a board that came from `boards.access`; its columns show counts, no cards."""
    return _read(caller, board, ())


def columns_of(board: Board, cards: Iterable[Card] = (), rules: Iterable[Rule] = ()) -> tuple[Column, ...]:
    """Return the columns in order with how many cards each holds."""
    by_stage: dict[object, list[Card]] = {}
    for card in cards:
        by_stage.setdefault(card.stage_id, []).append(card)
    on = {rule.from_stage_id: rule for rule in rules if rule.is_on}
    stages = Stage.objects.filter(board=board).annotate(card_count=Count("cards")).order_by("position")
    return tuple(
        Column(stage=stage, count=stage.card_count, cards=tuple(by_stage.get(stage.pk, ())), rule=on.get(stage.pk))
        for stage in stages
    )


def can_write(caller: Caller) -> bool:
    return caller.preset is Preset.FULL_CONTROL and is_at_least(caller.role, Role.MEMBER)


def _read(caller: Caller, board: Board, cards: Iterable[Card]) -> BoardPage:
    require_reader(caller)
    rules = rules_of(board)
    agents = Agent.objects.filter(board=board).select_related("published", "draft").order_by("pk")
    members = BoardMember.objects.filter(board=board, member__removed_at__isnull=True)
    return BoardPage(
        board=board,
        columns=columns_of(board, cards, rules),
        agents=tuple(agents),
        rules=rules,
        members=tuple(members.select_related("member__user").order_by("pk")),
        can_write=can_write(caller),
        can_manage=can_write(caller) and is_manager(caller, board),
        dispatch_paused=caller.workspace.dispatch_paused,
    )


def _first_cards(board: Board) -> Iterable[Card]:
    numbered = Window(RowNumber(), partition_by=F("stage"), order_by=F("place__position"))
    cards = Card.objects.filter(board=board, stage__isnull=False).annotate(number=numbered)
    return cards.filter(number__lte=CARDS_SHOWN).select_related("owner").order_by("stage", "number")
