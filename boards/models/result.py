"""Rounds of work on a card, and what each turn of a round produced."""

from __future__ import annotations

from django.db import models

from bakedbrie.lib.models import Dated
from boards.models.card import Card
from workspaces.models import Actor


class Iteration(Dated):
    """A round: it begins when somebody puts the card to work, and counts up per card. ``started_by`` is the maker."""

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="iterations")
    n = models.PositiveIntegerField()
    started_by = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    turns = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["card", "n"], name="iteration_once_per_card")]

    def __str__(self) -> str:
        return f"Round {self.n}"


class Result(Dated):
    """The Markdown an agent's turn left on the card; the newest is the card's result. ``sha256`` is of the text."""

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="results")
    iteration = models.ForeignKey(Iteration, on_delete=models.CASCADE, related_name="results")
    made_by = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    markdown = models.TextField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        indexes = [models.Index(fields=["card", "-id"], name="result_by_card")]

    def __str__(self) -> str:
        return self.markdown[:60]
