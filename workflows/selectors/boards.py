"""A board with everything on it, for the page and for read_board, in a constant number of queries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from agents.models import Agent
from agents.selectors import agents_of
from boards.access import is_manager
from boards.models import Board, BoardMember, Card, Stage
from boards.selectors.boards import Column, columns_of, members_of_board
from boards.selectors.cards import columns_with_cards
from workflows.models import Rule
from workflows.selectors.triggers import rules_of
from workspaces.access import require_reader
from workspaces.caller import Caller
from workspaces.roles import Role, is_at_least
from workspaces.states import Preset


@dataclass(frozen=True, kw_only=True)
class RuledColumn:
    """A column, the first of its ``total`` cards where they were asked for, and the rule that starts in it."""

    stage: Stage
    total: int
    cards: tuple[Card, ...]
    rule: Rule | None

    @property
    def hidden(self) -> int:
        """How many cards are not among ``cards``."""
        return self.total - len(self.cards)


@dataclass(frozen=True, kw_only=True)
class BoardPage:
    """What the board page and read_board show. ``rules`` are all of them, drafts and paused ones too."""

    board: Board
    columns: tuple[RuledColumn, ...]
    agents: tuple[Agent, ...]
    rules: tuple[Rule, ...]
    members: tuple[BoardMember, ...]
    can_write: bool
    can_manage: bool
    dispatch_paused: bool


def board_page(caller: Caller, board: Board) -> BoardPage:
    """Read a board that came from `boards.access`, with its cards."""
    return _read(caller, board, columns_with_cards(board))


def board_overview(caller: Caller, board: Board) -> BoardPage:
    """Read a board that came from `boards.access`; its columns show counts, no cards."""
    return _read(caller, board, columns_of(board))


def can_write(caller: Caller) -> bool:
    return caller.preset is Preset.FULL_CONTROL and is_at_least(caller.role, Role.MEMBER)


def _read(caller: Caller, board: Board, columns: Iterable[Column]) -> BoardPage:
    require_reader(caller)
    rules = rules_of(board)
    on = {rule.from_stage_id: rule for rule in rules if rule.is_on}
    return BoardPage(
        board=board,
        columns=tuple(
            RuledColumn(stage=column.stage, total=column.total, cards=tuple(column.cards), rule=on.get(column.stage.pk))
            for column in columns
        ),
        agents=tuple(agents_of(board)),
        rules=rules,
        members=tuple(members_of_board(board)),
        can_write=can_write(caller),
        can_manage=can_write(caller) and is_manager(caller, board),
        dispatch_paused=caller.workspace.dispatch_paused,
    )
