"""After a restore: no process of the install that was backed up settles here what it was about to do."""

from __future__ import annotations

from django.db.models.functions import Now

from bakedbrie.lib import once
from reviews.models import FolderStep, Review
from reviews.services.folder_steps import Ending, settle_step
from reviews.services.marking import give_up_marking
from reviews.states import FolderCode, ReviewState


def give_up_steps() -> int:
    """Name every step that was out unknown, whatever its lease says, and say how many; what follows looks first."""
    out = FolderStep.objects.filter(state__in=once.OUT, attempt__isnull=False).values_list("pk", "attempt")
    ending = Ending(code=FolderCode.OUTCOME_UNKNOWN)
    return sum(settle_step(step, attempt, ending) or give_up_marking(step, attempt) for step, attempt in out if attempt)


def keep_notices() -> int:
    """Have nobody told by mail of reviews that are open: they may have been told, or have decided, since."""
    return Review.objects.filter(state=ReviewState.OPEN, noticed_at__isnull=True).update(noticed_at=Now())
