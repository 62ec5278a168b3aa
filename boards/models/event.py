"""What happened: the history of cards and boards."""

from __future__ import annotations

from django.db import models

from bakedbrie.lib.models import Dated
from boards.models.board import Board
from boards.models.card import Card
from boards.states import EventKind
from workspaces.models import Actor


class BoardEvent(Dated):
    """Written in the transaction of the change it tells. ``data`` holds ids, names and codes, never content."""

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="events")
    card = models.ForeignKey(Card, on_delete=models.CASCADE, null=True, blank=True, related_name="events")
    kind = models.CharField(max_length=20, choices=[(kind.value, kind.value) for kind in EventKind])
    actor = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    data = models.JSONField(default=dict)

    class Meta:
        indexes = [
            models.Index(fields=["card", "-id"], name="event_by_card"),
            models.Index(fields=["board", "-id"], name="event_by_board"),
        ]

    def __str__(self) -> str:
        return self.kind
