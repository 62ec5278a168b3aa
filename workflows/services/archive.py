"""Archiving a board: nothing starts on it any more."""

from __future__ import annotations

from django.db import transaction

from agents.models import Turn
from boards.models import Board, Stage
from boards.services.boards import set_archived
from workflows.services.canceling import cancel_unsent
from workspaces.caller import Caller


@transaction.atomic
def archive_board(caller: Caller, *, board: Board) -> Board:
    """Put the board away. Waiting and queued turns are canceled; running ones settle without a move.

    The columns are locked as placing a card locks them: a card that is just entering one has its turn queued before
    this looks, or finds the board archived.
    """
    archived = set_archived(caller, board=board, is_archived=True)
    list(Stage.objects.select_for_update(no_key=True).filter(board=archived).order_by("pk"))
    cancel_unsent(caller, Turn.objects.filter(card__board=archived))
    return archived


def restore_board(caller: Caller, *, board: Board) -> Board:
    """Take the board back. Nothing starts by itself: its cards are moved again by hand."""
    return set_archived(caller, board=board, is_archived=False)
