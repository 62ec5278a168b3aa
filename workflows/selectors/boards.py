"""A board for its page and for read_board, in a constant number of queries. Boards come from `boards.access`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from agents.models import Agent, Approval
from agents.selectors import agents_of
from boards.models import Board, BoardMember, Card, Stage
from boards.selectors.boards import Column, columns_of, is_shared, members_of_board
from boards.selectors.columns import CARDS_SHOWN, EVERY_CARD, CardFilter, columns_with_cards, counted_columns
from destinations.models import Destination
from destinations.selectors.destinations import board_destination
from reviews.models import WorkFolder
from reviews.selectors.folders import folder_of
from workflows.models import Rule
from workflows.selectors.asks import asks_on_board
from workflows.selectors.triggers import rules_of
from workspaces.access import require_reader
from workspaces.caller import Caller
from workspaces.roles import Role, is_at_least
from workspaces.states import Preset


@dataclass(frozen=True, kw_only=True)
class RuledColumn:
    """A column, the first of its cards where they were asked for, and the rule that starts in it.

    ``total`` counts its cards, ``found`` those that fit the filter, and ``needing`` those of them that wait for
    somebody.
    """

    stage: Stage
    total: int
    cards: tuple[Card, ...]
    rule: Rule | None
    found: int = 0
    needing: int = 0

    @property
    def left(self) -> int:
        """How many cards that fit are not among ``cards``."""
        return max(0, self.found - len(self.cards))


@dataclass(frozen=True, kw_only=True)
class BoardPage:
    """The columns with their cards and rules, and whether the caller may add to them."""

    board: Board
    columns: tuple[RuledColumn, ...]
    can_write: bool


@dataclass(frozen=True, kw_only=True)
class BoardOverview:
    """The columns with counts instead of cards, and everything that makes the board work.

    ``rules`` are all of them, drafts and paused ones too. ``work_folder`` and ``destination`` are those that count now;
    ``asks`` are the oldest open questions of agents.
    """

    board: Board
    columns: tuple[RuledColumn, ...]
    agents: tuple[Agent, ...]
    rules: tuple[Rule, ...]
    members: tuple[BoardMember, ...]
    is_shared: bool
    dispatch_paused: bool
    work_folder: WorkFolder | None
    destination: Destination | None
    asks: list[Approval]


def board_page(caller: Caller, board: Board, *, given: CardFilter = EVERY_CARD, most: int = CARDS_SHOWN) -> BoardPage:
    """Read the board with the first ``most`` cards of each column that fit: three queries."""
    require_reader(caller)
    columns = _ruled(columns_with_cards(board, most=most, given=given), rules_of(board))
    return BoardPage(board=board, columns=columns, can_write=can_write(caller))


def board_counts(caller: Caller, board: Board, given: CardFilter) -> tuple[RuledColumn, ...]:
    """Read how many cards its columns hold, without rules: one query."""
    require_reader(caller)
    return _ruled(counted_columns(board, given), ())


def board_overview(caller: Caller, board: Board) -> BoardOverview:
    """Read the board without its cards: five queries, and one each for questions, work folder and destination where
    they are on."""
    require_reader(caller)
    rules = rules_of(board)
    return BoardOverview(
        board=board,
        columns=_ruled(columns_of(board), rules),
        agents=tuple(agents_of(board)),
        rules=rules,
        members=tuple(members_of_board(board)),
        is_shared=is_shared(board),
        dispatch_paused=caller.workspace.dispatch_paused,
        work_folder=folder_of(board),
        destination=board_destination(board),
        asks=asks_on_board(caller, board),
    )


def can_write(caller: Caller) -> bool:
    return caller.preset is Preset.FULL_CONTROL and is_at_least(caller.role, Role.MEMBER)


def _ruled(columns: Iterable[Column], rules: Iterable[Rule]) -> tuple[RuledColumn, ...]:
    on = {rule.from_stage_id: rule for rule in rules if rule.is_on}
    return tuple(
        RuledColumn(
            stage=column.stage,
            total=column.total,
            cards=tuple(column.cards),
            rule=on.get(column.stage.pk),
            found=column.found,
            needing=column.needing,
        )
        for column in columns
    )
