"""After a restore: no process of the install that was backed up settles here what it had sent."""

from __future__ import annotations

from agents.models import Turn
from agents.providers.outcomes import AiCode
from agents.services.attempts import Ending, settle_turn
from bakedbrie.lib import once


def give_up_sent() -> int:
    """Name every turn that was out unknown, whatever its lease says, and say how many."""
    out = Turn.objects.filter(state__in=once.OUT, attempt__isnull=False).values_list("pk", "attempt")
    ending = Ending(code=AiCode.OUTCOME_UNKNOWN)
    return sum(settle_turn(turn_id, attempt, ending) for turn_id, attempt in out if attempt)
