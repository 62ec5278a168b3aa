"""New boards, with the work folder that they come with."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from boards.models import Board
from boards.services import boards
from reviews.services.folders import add_hosted_folder
from workspaces.caller import Caller


@transaction.atomic
def create_board(caller: Caller, *, name: str, description: str = "", middle: Sequence[str] = ("Doing",)) -> Board:
    """Create a board, with a work folder in our storage while hosted_work_folder is on."""
    board = boards.create_board(caller, name=name, description=description, middle=middle)
    add_hosted_folder(caller, board=board)
    return board
