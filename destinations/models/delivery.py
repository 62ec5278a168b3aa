"""Deliveries: the files of one round on their way to one destination."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from bakedbrie.lib.models import Dated, OnceCall
from bakedbrie.lib.states import CallState
from boards.models import Card, CardFile, Iteration, Result
from destinations.models.destination import Destination
from destinations.states import Cause, DeliveryState
from workspaces.models import Actor

OUT = (CallState.SENDING.value, CallState.CANCEL_REQUESTED.value)
OPEN = (DeliveryState.PENDING.value, DeliveryState.SENDING.value)


class Delivery(Dated):
    """``key`` follows from card, round, destination and the hashes of what is sent: the same again is the same row.

    ``tries`` counts how often it was begun; each has steps of its own for what was not delivered before. ``rings``
    counts how often the sweep rang again. ``finished_at`` is when it ended, ``told_at`` when the card showed it.
    """

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="deliveries")
    iteration = models.ForeignKey(Iteration, on_delete=models.CASCADE, related_name="deliveries")
    destination = models.ForeignKey(Destination, on_delete=models.PROTECT, related_name="deliveries")
    key = models.CharField(max_length=64, unique=True, verbose_name="idempotency key")
    requested_by = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    cause = models.CharField(max_length=10, choices=[(cause.value, cause.value) for cause in Cause])
    state = models.CharField(
        max_length=10, choices=[(state.value, state.value) for state in DeliveryState], default=DeliveryState.PENDING
    )
    code = models.CharField(max_length=60, blank=True)
    finished_on = models.DateField(help_text="The day the card finished, as its paths tell it.")
    tries = models.PositiveSmallIntegerField(default=1)
    rings = models.PositiveSmallIntegerField(default=0, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True, editable=False)
    told_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        verbose_name_plural = "deliveries"
        indexes = [
            models.Index(fields=["card", "-id"], name="delivery_by_card"),
            models.Index(fields=["state", "id"], condition=Q(told_at__isnull=True), name="delivery_open"),
        ]

    def __str__(self) -> str:
        return f"{self.state} delivery"


class DeliveryStep(OnceCall):
    """One file of one try. ``path`` is the whole key in the bucket, byte for byte.

    ``place`` is where the destination led when a person agreed to that; it goes nowhere else. Empty is from before
    that was kept.
    ``was_there`` says that a look found the same bytes, so that nothing was sent.
    """

    delivery = models.ForeignKey(Delivery, on_delete=models.CASCADE, related_name="steps")
    tries = models.PositiveSmallIntegerField(default=1)
    n = models.PositiveIntegerField()
    name = models.CharField(max_length=255)
    path = models.CharField(max_length=700)
    place = models.CharField(max_length=64, blank=True, editable=False)
    media_type = models.CharField(max_length=100)
    bytes = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    result = models.ForeignKey(Result, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    file = models.ForeignKey(CardFile, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    etag = models.CharField(max_length=200, blank=True)
    http_status = models.PositiveSmallIntegerField(null=True, blank=True)
    was_there = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["delivery", "tries", "n"], name="delivery_step_once"),
            models.CheckConstraint(
                condition=Q(result__isnull=True) | Q(file__isnull=True), name="delivery_step_of_one_thing"
            ),
        ]
        indexes = [
            models.Index(fields=["path"], name="delivery_step_by_path"),
            models.Index(fields=["lease_until"], condition=Q(state__in=OUT), name="delivery_step_lease"),
        ]

    def __str__(self) -> str:
        return f"{self.state} file"
