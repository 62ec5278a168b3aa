"""The work itself."""

from __future__ import annotations

from boards.models.board import Board
from boards.models.card import Card
from boards.models.card_file import CardFile
from boards.models.comment import Comment
from boards.models.event import BoardEvent
from boards.models.member import BoardMember
from boards.models.place import CardPlace
from boards.models.result import Iteration, Result
from boards.models.stage import Stage

__all__ = [
    "Board",
    "BoardEvent",
    "BoardMember",
    "Card",
    "CardFile",
    "CardPlace",
    "Comment",
    "Iteration",
    "Result",
    "Stage",
]
