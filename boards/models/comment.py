"""What somebody said on a card."""

from __future__ import annotations

from django.db import models

from bakedbrie.lib.models import Dated
from boards.models.card import Card
from workspaces.models import Actor


class Comment(Dated):
    """Comments are never edited: the history stays what it was."""

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="comments")
    author = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()

    class Meta:
        indexes = [models.Index(fields=["card", "id"], name="comment_by_card")]

    def __str__(self) -> str:
        return self.text[:60]
