"""A column of a board; in the API it is called a stage."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from bakedbrie.lib.models import Dated
from boards.models.board import Board
from boards.states import StageRole


class Stage(Dated):
    """Each board has exactly one first column and one Done; ``position`` is unique when a transaction ends."""

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="stages")
    name = models.CharField(max_length=120)
    role = models.CharField(
        max_length=10, choices=[(role.value, role.value) for role in StageRole], default=StageRole.MIDDLE
    )
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["board", "position"], name="stage_position_once", deferrable=models.Deferrable.DEFERRED
            ),
            models.UniqueConstraint(fields=["board"], condition=Q(role=StageRole.FIRST), name="one_first_stage"),
            models.UniqueConstraint(fields=["board"], condition=Q(role=StageRole.DONE), name="one_done_stage"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_done(self) -> bool:
        return self.role == StageRole.DONE
