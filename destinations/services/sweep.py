"""The sweep of deliveries: what a lost message or a dead worker left behind. It sends nothing itself."""

from __future__ import annotations

import logging
import uuid
from datetime import timedelta

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from bakedbrie.lib import once
from bakedbrie.lib.jobs import Job, poke
from destinations.models import Delivery, DeliveryStep
from destinations.services.attempts import Ending, settle_step
from destinations.states import ENDED, OPEN, DeliveryCode, StepState

logger = logging.getLogger(__name__)

AT_MOST = 500
FIRST_RING = timedelta(seconds=30)
MOST_RINGS = 6  # then every half hour: ½, 1, 2, 4 … minutes before
UNCLEAR = Ending(to=StepState.UNKNOWN, code=DeliveryCode.OUTCOME_UNKNOWN)


def sweep_deliveries() -> dict[str, int]:
    """Name unclear files unknown, and ring again for deliveries that nobody answered. Returns the counts."""
    counts = {
        "unknown": sum(settle_step(step, attempt, UNCLEAR) for step, attempt in once.expired(DeliveryStep, AT_MOST)),
        "open": _ring_for_open(),
        "untold": _ring(Job.DELIVERY_FINISH, _untold()),
    }
    if any(counts.values()):
        logger.info("Deliveries swept", extra=counts)
    return counts


def _ring_for_open() -> int:
    late = Q()
    for rings in range(MOST_RINGS + 1):
        condition = Q(rings=rings) if rings < MOST_RINGS else Q(rings__gte=rings)
        late |= condition & Q(updated_at__lt=Now() - FIRST_RING * 2**rings)
    open_ones = Delivery.objects.filter(late, state__in=OPEN, destination__workspace__dispatch_paused=False)
    waiting = open_ones.exclude(steps__state__in=once.OUT)  # while a file is out, its lease decides
    found = list(waiting.order_by("pk").values_list("pk", flat=True)[:AT_MOST])
    Delivery.objects.filter(pk__in=found).update(rings=F("rings") + 1, updated_at=Now())
    return _ring(Job.DELIVERY_RUN, found)


def _untold() -> QuerySet[Delivery, uuid.UUID]:
    rows = Delivery.objects.filter(state__in=ENDED, told_at__isnull=True)
    return rows.order_by("pk").values_list("pk", flat=True)[:AT_MOST]


def _ring(job: Job, rows: QuerySet[Delivery, uuid.UUID] | list[uuid.UUID]) -> int:
    found = list(rows)
    for row in found:
        poke(job, row)
    return len(found)
