"""read_board and create_board."""

from __future__ import annotations

from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from bakedbrie.lib.web.rows import show_rows
from boards.access import get_board
from boards.models import Board
from boards.selectors.boards import columns_of
from boards.serializers import BoardMemberSerializer, BoardSerializer, ColumnSerializer
from destinations.serializers import KnownDestinationSerializer
from workflows.inputs import BoardIn, CreateBoardIn
from workflows.selectors.boards import board_overview
from workflows.serializers import (
    AgentLineSerializer,
    AskLineSerializer,
    BoardFolderSerializer,
    RuledColumnSerializer,
    RuleSerializer,
)
from workflows.services.boards import create_board
from workspaces.caller import Caller


def read_board(caller: Caller, given: BoardIn) -> Answer:
    board = get_board(caller, given.board_id)
    return _full(caller, board) if "control" in caller.capabilities else short_board(board)


def create_board_tool(caller: Caller, given: CreateBoardIn) -> Answer:
    return short_board(create_board(caller, name=given.name, description=given.description))


def short_board(board: Board) -> Answer:
    """Show a board as an answer that made or names it: its columns, and nothing that needs more than boards."""
    columns = show_rows(ColumnSerializer(), columns_of(board))
    return {"board": {"id": str(board.pk), "name": board.name, "stages": columns}}


def _full(caller: Caller, board: Board) -> Answer:
    seen = board_overview(caller, board)
    shown = {
        **BoardSerializer(board).data,
        "stages": show_rows(RuledColumnSerializer(), seen.columns),
        "agents": show_rows(AgentLineSerializer(), seen.agents),
        "rules": show_rows(RuleSerializer(), seen.rules),
        "members": show_rows(BoardMemberSerializer(), seen.members),
        "is_shared": seen.is_shared,
        "dispatch_paused": seen.dispatch_paused,
        "work_folder": BoardFolderSerializer(seen.work_folder).data if seen.work_folder else None,
        "destination": KnownDestinationSerializer(seen.destination).data if seen.destination else None,
        "asks": show_rows(AskLineSerializer(), seen.asks),
    }
    return {"board": shown}


READ_BOARD = Tool[Caller](
    name="read_board",
    title="Read a board",
    description=(
        "Shows one board: its columns (called stages) with their ids and how many cards each holds, and, while the "
        "capability control is on, agents with state and version, rules, guidelines, members, revision, work folder "
        "with its reviewer, destination, what agents ask (a person answers at its url), and whether it is shared: more "
        "than one person may decide. Use list_cards for the cards."
    ),
    input=BoardIn,
    handler=read_board,
    effect=Effect.READ,
    is_base=True,
)
CREATE_BOARD = Tool[Caller](
    name="create_board",
    title="Create a board",
    description=(
        "Creates a board with the columns To do, Doing and Done. You become its manager; owners and admins open it "
        "too. Answers with the ids of the columns. Add further columns with manage_stages."
    ),
    input=CreateBoardIn,
    handler=create_board_tool,
    effect=Effect.WRITE,
    is_base=True,
)
