"""After a restore: no process of the install that was backed up settles here what it had sent."""

from __future__ import annotations

from bakedbrie.lib import once
from destinations.models import DeliveryStep
from destinations.services.attempts import settle_step
from destinations.services.sweep import UNCLEAR


def give_up_sent() -> int:
    """Name every file that was out unknown, whatever its lease says, and say how many."""
    out = DeliveryStep.objects.filter(state__in=once.OUT, attempt__isnull=False).values_list("pk", "attempt")
    return sum(settle_step(step_id, attempt, UNCLEAR) for step_id, attempt in out if attempt)
