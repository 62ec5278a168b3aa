"""The sweep of work folders: what a lost message or a dead worker left behind goes on where it stopped."""

from __future__ import annotations

import logging
import uuid
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Now

from bakedbrie.lib import once
from bakedbrie.lib.jobs import Job, poke
from bakedbrie.lib.states import CallState
from destinations.states import DestinationState
from reviews.models import FolderFile, FolderStep, Review, WorkFolder
from reviews.models.folder_file import STANDS_STILL
from reviews.selectors.folders import held_steps
from reviews.services.folder_steps import Ending, go_on, lock_file, settle_step
from reviews.services.inbox import due_folders
from reviews.services.marking import give_up_marking, mark_again
from reviews.states import FolderArea, FolderCode, FolderStorage, ReviewState

logger = logging.getLogger(__name__)

AT_MOST = 500
RING_AFTER = timedelta(seconds=30)
TOLD_WITHIN = timedelta(hours=1)


def sweep_folders() -> dict[str, int]:
    """Name unclear steps unknown, ring again for queued ones, and take up files whose pause is over."""
    counts = {
        "unknown": _give_up_expired(),
        "queued": _ring_for_queued(),
        "resumed": _resume(),
        "woken": _wake(),
        "marked": _mark_again(),
        "looks": _ring_for_looks(),
        "untold": _ring_for_untold(),
    }
    if any(counts.values()):
        logger.info("Work folders swept", extra=counts)
    return counts


def _give_up_expired() -> int:
    ending = Ending(code=FolderCode.OUTCOME_UNKNOWN)
    expired = once.expired(FolderStep, AT_MOST)
    return sum(settle_step(step, attempt, ending) or give_up_marking(step, attempt) for step, attempt in expired)


def _ring_for_queued() -> int:
    steps = FolderStep.objects.filter(state=CallState.QUEUED, updated_at__lt=Now() - RING_AFTER)
    found = list(steps.exclude(held_steps()).order_by("pk").values_list("pk", flat=True)[:AT_MOST])
    FolderStep.objects.filter(pk__in=found, state=CallState.QUEUED).update(updated_at=Now())
    for step in found:
        poke(Job.FOLDER_STEP, step)
    return len(found)


def _ring_for_looks() -> int:
    """Ring for each Inbox/ that is due; a ring that is lost comes again with the next sweep."""
    folders = due_folders(AT_MOST)
    for folder in folders:
        poke(Job.FOLDER_LOOK, folder)
    return len(folders)


def _ring_for_untold() -> int:
    """Ring for reviews that nobody was told of by mail; those from before there was mail are left alone."""
    if not settings.EMAIL_HOST:
        return 0
    opened = Q(opened_at__lt=Now() - RING_AFTER, opened_at__gt=Now() - TOLD_WITHIN)
    untold = Review.objects.filter(opened, state=ReviewState.OPEN, noticed_at__isnull=True).order_by("pk")
    found = list(untold.values_list("pk", flat=True)[:AT_MOST])
    for review in found:
        poke(Job.REVIEW_NOTICE, review)
    return len(found)


def _mark_again() -> int:
    """Make the four folders of a bucket that could not be asked a while ago, or whose step was lost."""
    is_due = Q(try_at__isnull=True) | Q(try_at__lte=Now())
    under_way = FolderStep.objects.filter(
        folder=OuterRef("pk"), file=None, state__in=[CallState.QUEUED, CallState.SENDING]
    )
    folders = WorkFolder.objects.filter(is_due, ~Exists(under_way), storage=FolderStorage.S3, ready_at__isnull=True)
    folders = folders.filter(board__workspace__capabilities__contains=["destinations"])
    return sum(mark_again(folder) for folder in folders.order_by("pk").values_list("pk", flat=True)[:AT_MOST])


def _resume() -> int:
    """Go on with files that stand still though something is left to do."""
    is_due = Q(try_at__isnull=True) | Q(try_at__lte=Now())
    under_way = FolderStep.objects.filter(file=OuterRef("pk"), state__in=[CallState.QUEUED, CallState.SENDING])
    files = FolderFile.objects.filter(is_due, ~Exists(under_way), is_settled=False)
    return sum(_go_on(file) for file in files.order_by("pk").values_list("pk", flat=True)[:AT_MOST])


def _wake(limit: int = AT_MOST) -> int:
    """Take up files that stood still because something was off: it is on again, or their folder lies elsewhere."""
    still = FolderFile.objects.filter(is_settled=True, code__in=STANDS_STILL)
    is_on = ~Q(destination__state=DestinationState.OFF)
    may = Q(folder__board__workspace__capabilities__contains=["destinations"])
    moved = ~Q(folder__destination=F("destination")) | Q(folder__destination=None)
    counts = Q(unwanted_at=None, area__in=[FolderArea.NEEDS_REVIEW, FolderArea.APPROVED])
    has_home = moved & counts & ~Q(folder__storage=FolderStorage.NONE)
    found = still.filter((is_on & may) | (~is_on & has_home)).order_by("pk")
    return sum(_begin_again(file) for file in found.values_list("pk", flat=True)[:limit])


@transaction.atomic
def _begin_again(file_id: uuid.UUID) -> bool:
    file = lock_file(file_id)
    if file is None or file.code not in STANDS_STILL:
        return False
    file.code, file.tries, file.try_at = "", 0, None
    go_on(file)
    return True


@transaction.atomic
def _go_on(file_id: object) -> bool:
    file = lock_file(file_id)  # type: ignore[arg-type]  # an id, as values_list gives it
    if file is None or file.is_settled:
        return False
    go_on(file)
    return True
