"""Who may open a board, beside the owners and admins who open all of them."""

from __future__ import annotations

from django.db import models

from bakedbrie.lib.models import Dated
from boards.models.board import Board
from workspaces.models import Member


class BoardMember(Dated):
    """The creator is the first member and a manager."""

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="members")
    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="board_memberships")
    is_manager = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["board", "member"], name="board_member_once")]

    def __str__(self) -> str:
        return str(self.member)
