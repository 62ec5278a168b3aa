"""What agents ask people, and the answers that stand for more than one time."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from agents.models.agent import Agent
from agents.models.turn import Turn
from agents.states import ApprovalAnswer, ApprovalState
from bakedbrie.lib.models import Dated
from boards.models import Card
from workspaces.models import Actor


class Approval(Dated):
    """One question of one turn: may the agent do exactly this? It is answered once (A012).

    ``target`` is where it goes: the AI account that would read the files. ``input_hash`` is over everything that the
    answer covers, ``shown`` is what of it people see: names, sizes and hashes, never content.
    """

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="approvals")
    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="approvals")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="approvals")
    area = models.CharField(max_length=20)
    target = models.UUIDField()
    input_hash = models.CharField(max_length=64)
    shown = models.JSONField(default=list)
    state = models.CharField(
        max_length=10, choices=[(state.value, state.value) for state in ApprovalState], default=ApprovalState.PENDING
    )
    answer = models.CharField(
        max_length=10, blank=True, choices=[(answer.value, answer.value) for answer in ApprovalAnswer]
    )
    answered_by = models.ForeignKey(Actor, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    answered_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["turn", "area"],
                condition=Q(state__in=[ApprovalState.PENDING, ApprovalState.ALLOWED]),
                name="one_open_approval",
            ),
            models.CheckConstraint(
                condition=Q(answer="", answered_by__isnull=True, answered_at__isnull=True)
                | (~Q(answer="") & Q(answered_by__isnull=False, answered_at__isnull=False)),
                name="approval_answer_is_whole",
            ),
        ]
        indexes = [
            models.Index(fields=["card", "-id"], name="approval_by_card"),
            models.Index(fields=["expires_at"], condition=Q(state=ApprovalState.PENDING), name="approval_by_expiry"),
        ]

    def __str__(self) -> str:
        return f"{self.area} ({self.state})"


class Permit(Dated):
    """An answer that stands: the agent is not asked again for this area and target, on one card or on all."""

    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="permits")
    area = models.CharField(max_length=20)
    target = models.UUIDField()
    card = models.ForeignKey(Card, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    given_by = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "area", "target", "card"], nulls_distinct=False, name="permit_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.area} for {'one card' if self.card_id else 'every card'}"
