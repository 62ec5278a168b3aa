"""Destinations, and which boards and cards use them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from bakedbrie.lib.models import Dated
from boards.models import Board, Card
from destinations.rules import DEFAULT_TEMPLATE, MOST_TEMPLATE, place_of
from destinations.states import DestinationKind, DestinationState
from workspaces.models import Actor, SealedSecret, Workspace


class Destination(Dated):
    """``revision`` counts changes of where it is and how paths are made: what a person approved names it.

    ``config`` of kind s3 holds endpoint, region, bucket, prefix, path_style and access_key_id; the secret is sealed
    apart. One that is off stays so, without its secret.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="destinations")
    kind = models.CharField(
        max_length=20, choices=[(kind.value, kind.value) for kind in DestinationKind], default=DestinationKind.S3
    )
    name = models.CharField(max_length=120)
    config = models.JSONField(default=dict)
    secret = models.OneToOneField(SealedSecret, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    path_template = models.CharField(max_length=MOST_TEMPLATE, default=DEFAULT_TEMPLATE)
    connected_by = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(
        max_length=10, choices=[(state.value, state.value) for state in DestinationState], default=DestinationState.ON
    )
    last_error = models.CharField(max_length=60, blank=True)
    checked_at = models.DateTimeField(null=True, blank=True)
    revision = models.PositiveIntegerField(default=1)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~Q(state=DestinationState.OFF) | Q(secret__isnull=True), name="destination_off_without_secret"
            )
        ]
        indexes = [models.Index(fields=["workspace", "id"], name="destination_by_workspace")]

    def __str__(self) -> str:
        return self.name

    @property
    def place(self) -> str:
        """What a delivery is bound to: where bytes go, as one hash."""
        return place_of(self.kind, self.config, self.path_template)

    @property
    def bucket(self) -> str:
        """Where it leads, whatever the paths there: as one hash."""
        return place_of(self.kind, self.config, "")


class BoardDestination(Dated):
    """Where the finished cards of a board go, unless a card says otherwise."""

    board = models.OneToOneField(Board, on_delete=models.CASCADE, related_name="destination_row")
    destination = models.ForeignKey(Destination, on_delete=models.PROTECT, related_name="board_rows")
    set_by = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return f"{self.board_id} to {self.destination_id}"


class CardDestination(Dated):
    """Where one card goes, whatever its board says."""

    card = models.OneToOneField(Card, on_delete=models.CASCADE, related_name="destination_row")
    destination = models.ForeignKey(Destination, on_delete=models.PROTECT, related_name="card_rows")
    set_by = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")

    def __str__(self) -> str:
        return f"{self.card_id} to {self.destination_id}"
