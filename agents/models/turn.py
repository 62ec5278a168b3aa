"""Turns: an agent's work on a card, and the model calls a turn consists of."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from agents.models.agent import Agent, AgentVersion
from agents.models.ai_account import AiAccount
from agents.states import TurnState
from bakedbrie.lib.models import Dated, OnceCall
from boards.models import Card, Iteration

OUT = (TurnState.SENDING.value, TurnState.CANCEL_REQUESTED.value)


class Turn(OnceCall):
    """What people see. Agent version and payer are fixed when it is queued.

    ``reason`` says why it waits. ``settled_at`` is when the answer was kept, ``finished_at`` when the card went on:
    until then the turn holds the card, and a card is held by at most one turn. ``prompt`` keeps which versions and how
    much of each part went into the prompt, never its text. ``notes`` are what people should know of the turn, each
    with a code. ``rings`` counts how often the sweep rang again since it was queued, ``pickups`` how often a worker
    began with it.
    """

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="turns")
    iteration = models.ForeignKey(Iteration, on_delete=models.CASCADE, related_name="turn_rows")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="turns")
    version = models.ForeignKey(AgentVersion, on_delete=models.PROTECT, related_name="turns")
    account = models.ForeignKey(AiAccount, on_delete=models.PROTECT, null=True, blank=True, related_name="turns")
    reason = models.CharField(max_length=40, blank=True)
    prompt_sha256 = models.CharField(max_length=64, blank=True)
    prompt = models.JSONField(default=dict)
    notes = models.JSONField(default=list)
    rings = models.PositiveSmallIntegerField(default=0, editable=False)
    pickups = models.PositiveSmallIntegerField(default=0, editable=False)
    reply = models.TextField(blank=True)
    message = models.CharField(max_length=300, blank=True, help_text="What went wrong, in plain words.")
    finished_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["card"], condition=Q(finished_at__isnull=True), name="one_turn_holds_a_card"
            )
        ]
        indexes = [
            models.Index(fields=["card", "-id"], name="turn_by_card"),
            models.Index(fields=["state", "id"], condition=Q(finished_at__isnull=True), name="turn_open"),
            models.Index(fields=["lease_until"], condition=Q(state__in=OUT), name="turn_lease"),
        ]

    def __str__(self) -> str:
        return f"{self.state} turn"


class ModelCall(Dated):
    """One request to a provider, recorded before it is sent, within one attempt of its turn.

    ``cost_micros`` is null when the price or the usage is not known. ``most_micros`` is the most it could cost when it
    was sent: a cap counts that until the cost is known, so for good when it never is.
    """

    turn = models.ForeignKey(Turn, on_delete=models.CASCADE, related_name="model_calls")
    n = models.PositiveIntegerField()
    attempt = models.UUIDField(editable=False)
    provider = models.CharField(max_length=20)
    model = models.CharField(max_length=120)
    sent_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True, blank=True)
    http_status = models.PositiveSmallIntegerField(null=True, blank=True)
    provider_request_id = models.CharField(max_length=120, blank=True)
    stop_reason = models.CharField(max_length=40, blank=True)
    input_tokens = models.PositiveIntegerField(null=True, blank=True)
    output_tokens = models.PositiveIntegerField(null=True, blank=True)
    cost_micros = models.BigIntegerField(null=True, blank=True)
    most_micros = models.BigIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["turn", "n"], name="model_call_once_per_turn"),
            models.CheckConstraint(condition=Q(cost_micros__gte=0), name="model_call_cost_not_negative"),
        ]
        indexes = [models.Index(fields=["sent_at"], name="model_call_by_time")]

    def __str__(self) -> str:
        return f"{self.model} #{self.n}"
