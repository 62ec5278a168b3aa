"""A file on a card."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from bakedbrie.lib.models import Dated
from boards.models.card import Card
from boards.states import FileOrigin
from workspaces.models import Actor


class CardFile(Dated):
    """``storage_key`` never leaves the server; ``media_type`` was read from the bytes, not from the sender."""

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="files")
    name = models.CharField(max_length=255)
    media_type = models.CharField(max_length=100)
    bytes = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    storage_key = models.CharField(max_length=300, unique=True)
    origin = models.CharField(max_length=10, choices=[(origin.value, origin.value) for origin in FileOrigin])
    added_by = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["card", "name"], condition=Q(removed_at__isnull=True), name="card_file_name_once"
            )
        ]

    def __str__(self) -> str:
        return self.name
