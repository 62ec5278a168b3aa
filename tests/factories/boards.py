"""Boards, cards and files, made the way the product makes them."""

from __future__ import annotations

import io
from collections.abc import Iterable

from boards.models import Board, Card, CardFile, Stage
from boards.services.boards import create_board
from boards.services.cards import add_card
from boards.services.files import add_file
from boards.services.members import add_board_member
from boards.states import StageRole
from workspaces.caller import Caller
from workspaces.models import Actor, Member


def make_board(caller: Caller, *, name: str = "Research", members: Iterable[Member] = ()) -> Board:
    """A board with its three columns, open to its creator and to ``members``."""
    board = create_board(caller, name=name)
    for member in members:
        add_board_member(caller, board=board, member=member)
    return board


def stage_of(board: Board, role: StageRole = StageRole.FIRST) -> Stage:
    """The board's first column, its first middle one, or Done."""
    stage = Stage.objects.select_related("board").filter(board=board, role=role).first()
    assert stage is not None
    return stage


def make_card(
    caller: Caller,
    board: Board,
    *,
    stage: Stage | None = None,
    title: str = "Compare three tools",
    brief: str = "Name one strength of each.",
    owner: Actor | None = None,
) -> Card:
    """A card at the end of a column, the first one unless told otherwise; nothing starts."""
    return add_card(caller, board=board, stage=stage or stage_of(board), title=title, brief=brief, owner=owner)


def make_file(caller: Caller, card: Card, *, name: str = "notes.md", content: bytes = b"# Notes\n") -> CardFile:
    return add_file(caller, card=card, name=name, stream=io.BytesIO(content))
