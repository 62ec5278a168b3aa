"""A board holds one kind of work."""

from __future__ import annotations

from django.db import models

from bakedbrie.lib.models import Dated
from workspaces.models import Actor, Workspace


class Board(Dated):
    """``revision`` counts changes of name, description and guidelines."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="boards")
    name = models.CharField(max_length=120)
    description = models.CharField(max_length=1000, blank=True)
    guidelines = models.TextField(blank=True)
    revision = models.PositiveIntegerField(default=1)
    created_by = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    archived_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["workspace", "-id"], name="board_by_workspace")]

    def __str__(self) -> str:
        return self.name
