"""What one call of setup_board made: the board as a whole, so that it can be undone."""

from __future__ import annotations

from django.db import models

from bakedbrie.lib.models import Dated
from boards.models import Board
from workspaces.models import Actor


class BoardSetup(Dated):
    """Goes with its board."""

    board = models.OneToOneField(Board, on_delete=models.CASCADE, related_name="setup")
    made_by = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
