"""The transcript of a turn while it runs."""

from __future__ import annotations

from django.db import models

from agents.models.turn import Turn
from bakedbrie.lib.models import Dated


class TurnLine(Dated):
    """What a model wrote in about a second. Only shown until the turn ends, and forgotten after a while."""

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="lines")
    seq = models.PositiveIntegerField()
    text = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["turn", "seq"], name="turn_line_once")]
        indexes = [models.Index(fields=["created_at"], name="turn_line_by_age")]

    def __str__(self) -> str:
        return f"line {self.seq}"
