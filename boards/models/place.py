"""Where a card stands in its column."""

from __future__ import annotations

from django.db import models

from boards.models.card import Card
from boards.models.stage import Stage


class CardPlace(models.Model):
    """The order of a column, apart from the cards: whoever holds a card's row never waits for a renumbering.

    Rows change only while their columns are locked (`boards.services.placing`). A card in the trash has no place.
    """

    card = models.OneToOneField(Card, on_delete=models.CASCADE, primary_key=True, related_name="place")
    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="places")
    position = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["stage", "position"], name="card_place_once", deferrable=models.Deferrable.DEFERRED
            )
        ]

    def __str__(self) -> str:
        return f"{self.card_id} at {self.position}"
