"""Reviews: what a round made waits for a person, and what the person decided."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from agents.models import Turn
from bakedbrie.lib import clock
from bakedbrie.lib.models import Dated
from boards.models import Board, Card, CardFile, Iteration, Result
from reviews.states import Door, ReviewState, Verdict
from workspaces.models import Actor, Member


class Review(Dated):
    """What a turn left on its card, until a person decides; a card has at most one that is open.

    ``n`` is the round. ``maker`` started it and does not approve it on a shared board. ``next`` is what an approval
    leads to, and ``intent_hash`` binds a decision to that and to the files; both are as of the last look by a service,
    and weighed anew when somebody decides. ``code`` says why it was closed without a decision; ``noticed_at`` is when
    people were told of it by mail.
    """

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="reviews")
    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="reviews")
    iteration = models.ForeignKey(Iteration, on_delete=models.CASCADE, related_name="reviews")
    turn = models.OneToOneField(Turn, on_delete=models.CASCADE, related_name="review")
    maker = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(
        max_length=20, choices=[(state.value, state.value) for state in ReviewState], default=ReviewState.OPEN
    )
    n = models.PositiveIntegerField()
    intent_hash = models.CharField(max_length=64)
    next = models.JSONField(default=dict)
    opened_at = models.DateTimeField(default=clock.now, editable=False)
    closed_at = models.DateTimeField(null=True, blank=True, editable=False)
    code = models.CharField(max_length=40, blank=True)
    noticed_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["card"], condition=Q(state=ReviewState.OPEN), name="one_open_review"),
            models.CheckConstraint(
                condition=Q(state=ReviewState.OPEN, closed_at__isnull=True)
                | (~Q(state=ReviewState.OPEN) & Q(closed_at__isnull=False)),
                name="review_closed_when_not_open",
            ),
        ]
        indexes = [
            models.Index(fields=["board", "state", "-id"], name="review_by_board"),
            models.Index(fields=["card", "-id"], name="review_by_card"),
        ]

    def __str__(self) -> str:
        return f"{self.state} review of round {self.n}"

    @property
    def is_open(self) -> bool:
        return self.state == ReviewState.OPEN


class ReviewFile(Dated):
    """One thing that is reviewed, under the name it goes by. ``n`` is its place; it is a result, or a file."""

    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="files")
    n = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=255)
    media_type = models.CharField(max_length=100)
    bytes = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    result = models.ForeignKey(Result, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    file = models.ForeignKey(CardFile, on_delete=models.CASCADE, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["n"]
        constraints = [
            models.UniqueConstraint(fields=["review", "n"], name="review_file_once"),
            models.CheckConstraint(
                condition=Q(result__isnull=False, file__isnull=True) | Q(result__isnull=True, file__isnull=False),
                name="review_file_is_one_thing",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Decision(Dated):
    """Who decided what, on exactly which content, and through which door.

    ``took_ms`` is how long they had it before them, where the door knows.
    """

    review = models.OneToOneField(Review, on_delete=models.CASCADE, related_name="decision")
    decided_by = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="+")
    decision = models.CharField(max_length=20, choices=[(verdict.value, verdict.value) for verdict in Verdict])
    note = models.TextField(blank=True)
    intent_hash = models.CharField(max_length=64)
    door = models.CharField(max_length=10, choices=[(door.value, door.value) for door in Door])
    took_ms = models.PositiveBigIntegerField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["created_at"], name="decision_by_time")]

    def __str__(self) -> str:
        return self.decision
