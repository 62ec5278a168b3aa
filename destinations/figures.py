"""Deliveries of all workspaces in figures, for metrics and the operator: a constant number of cheap statements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Min
from django.db.models.functions import Now

from bakedbrie.lib import ids
from destinations.models import Delivery, Destination
from destinations.states import OPEN, DeliveryState, DestinationState

LATE_RINGS = 3  # rung for again so often, a delivery has waited for some minutes


@dataclass(frozen=True, kw_only=True)
class OpenDeliveries:
    """Deliveries whose end no card has shown, by state. ``oldest_waiting_s`` counts from when the delivery was made.

    ``is_late``: one was rung for several times, which the sweep does only where work is not paused.
    """

    by_state: Mapping[DeliveryState, int]
    oldest_waiting_s: int
    is_late: bool

    @property
    def waiting(self) -> int:
        return sum(self.by_state.get(state, 0) for state in OPEN)


def open_deliveries() -> OpenDeliveries:
    rows = Delivery.objects.filter(told_at__isnull=True).values("state").order_by("state")
    found = list(rows.annotate(n=Count("pk"), oldest=Min("created_at"), rings=Max("rings"), now=Now()))
    waiting = [row for row in found if row["state"] in OPEN]
    ages = [int((row["now"] - row["oldest"]).total_seconds()) for row in waiting]
    return OpenDeliveries(
        by_state={DeliveryState(row["state"]): row["n"] for row in found},
        oldest_waiting_s=max(0, *ages) if ages else 0,
        is_late=any(row["rings"] >= LATE_RINGS for row in waiting),
    )


def deliveries_made_since(instant: datetime) -> Mapping[DeliveryState, int]:
    """Return how many deliveries were made since then, by the state they are in now."""
    rows = Delivery.objects.filter(pk__gte=ids.first_at(instant)).values("state").order_by("state")
    return {DeliveryState(row["state"]): row["n"] for row in rows.annotate(n=Count("pk"))}


def failing_destinations() -> Mapping[str, int]:
    """Return how many destinations fail, by the code of what stood against them last."""
    rows = Destination.objects.filter(state=DestinationState.FAILING).values("last_error").order_by("last_error")
    return {row["last_error"]: row["n"] for row in rows.annotate(n=Count("pk"))}
