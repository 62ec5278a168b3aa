"""Cards made of files that people drop into the Inbox/ of a work folder."""

from __future__ import annotations

from boards.models import Board, Card
from workflows.services.cards import create_card
from workspaces.caller import Caller


def make_card(caller: Caller, board: Board, title: str) -> Card:
    """Make a card in the board's first column, where its rule starts as for any other."""
    return create_card(caller, board=board, title=title)
