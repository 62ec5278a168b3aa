"""One piece of work."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from bakedbrie.lib import clock
from bakedbrie.lib.models import Dated
from boards.models.board import Board
from boards.models.stage import Stage
from boards.states import Badge
from workspaces.models import Actor


class Card(Dated):
    """Exactly one owner, always. A card in the trash has no stage.

    ``revision`` counts title, brief, owner, stage, files and comments, never order or badge. ``place`` says where the
    card stands in its column. ``badge`` is written in the transaction that changed what it shows.
    """

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="cards")
    stage = models.ForeignKey(Stage, on_delete=models.PROTECT, null=True, blank=True, related_name="cards")
    title = models.CharField(max_length=300)
    brief = models.TextField(blank=True)
    owner = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="owned_cards")
    created_by = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    revision = models.PositiveIntegerField(default=1)
    badge = models.CharField(max_length=10, choices=[(badge.value, badge.value) for badge in Badge], default=Badge.IDLE)
    badge_reason = models.CharField(max_length=60, blank=True)
    badge_since = models.DateTimeField(default=clock.now)
    trashed_at = models.DateTimeField(null=True, blank=True)
    trashed_from = models.ForeignKey(Stage, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(stage__isnull=True, trashed_at__isnull=False)
                | Q(stage__isnull=False, trashed_at__isnull=True),
                name="card_in_a_stage_or_the_trash",
            ),
        ]
        indexes = [
            models.Index(fields=["board", "badge"], name="card_by_badge"),
            models.Index(fields=["owner"], name="card_by_owner"),
        ]

    def __str__(self) -> str:
        return self.title
