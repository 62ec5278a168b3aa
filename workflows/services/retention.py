"""What is only kept for a while: request records, drops, sign-in links and the transcripts of turns."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.db import transaction

from agents.models import TurnLine
from bakedbrie.lib import clock
from workspaces.models import RequestRecord, SealedSecret, SecretDrop, SignInLink
from workspaces.states import DropState

logger = logging.getLogger(__name__)

RECORDS_FOR = timedelta(days=30)
DROPS_FOR = timedelta(days=1)
LINKS_FOR = timedelta(days=1)
LINES_FOR = timedelta(days=30)


def forget_old_rows() -> dict[str, int]:
    """Delete what is too old to be asked for again, and say how many rows of each kind went."""
    now = clock.now()
    counts = {
        "records": RequestRecord.objects.filter(created_at__lt=now - RECORDS_FOR).delete()[0],
        "drops": _forget_drops(now - DROPS_FOR),
        "turn_lines": TurnLine.objects.filter(created_at__lt=now - LINES_FOR).delete()[0],
        "links": SignInLink.objects.filter(expires_at__lt=now - LINKS_FOR).delete()[0],
    }
    logger.info("Old rows forgotten", extra=counts)
    return counts


@transaction.atomic
def _forget_drops(before: object) -> int:
    """A secret that was dropped and never used goes with its drop; a used one belongs to what it was used for."""
    drops = SecretDrop.objects.filter(expires_at__lt=before)
    SealedSecret.objects.filter(drop__in=drops.filter(state=DropState.FILLED)).delete()
    return drops.delete()[0]
