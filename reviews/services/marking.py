"""The four folders of a bucket are made once a work folder is set; until that went well, it says what stood against
it."""

from __future__ import annotations

import logging
import uuid
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction

from bakedbrie.lib import clock, once
from bakedbrie.lib.jobs import Job, poke
from bakedbrie.lib.states import CallState
from reviews.models import FolderStep, WorkFolder
from reviews.selectors.folders import held_steps
from reviews.services.folder_steps import Ending
from reviews.states import FolderCode, FolderStorage, Phase

logger = logging.getLogger(__name__)

DEADLINE = timedelta(minutes=4)
AGAIN_AFTER = timedelta(minutes=5)


@dataclass(frozen=True, kw_only=True)
class Marking:
    """The claimed step of a folder whose four folders this process is to make."""

    step_id: uuid.UUID
    attempt: uuid.UUID
    folder: WorkFolder


def begin_marking(folder: WorkFolder) -> None:
    """Queue the making of the four folders, unless that is under way. The folder is locked, or was just made."""
    open_steps = FolderStep.objects.filter(folder=folder, file__isnull=True)
    if open_steps.filter(state__in=[CallState.QUEUED, CallState.SENDING]).exists():
        return
    step = FolderStep.objects.create(folder=folder, phase=Phase.MARK)
    poke(Job.FOLDER_STEP, step.pk)


@transaction.atomic
def claim_marking(step_id: uuid.UUID) -> Marking | None:
    """Take a queued step of a folder; None when somebody else has it, when it is a file's, or while it waits for the
    end of a pause."""
    steps = FolderStep.objects.filter(pk=step_id, state=CallState.QUEUED, file__isnull=True)
    step = steps.exclude(held_steps()).first()
    if step is None:
        return None
    try:
        attempt = once.claim(FolderStep, step.pk, deadline=DEADLINE)
    except once.LostRace:
        return None
    rows = WorkFolder.objects.select_related("board", "destination__secret", "destination__workspace")
    return Marking(step_id=step.pk, attempt=attempt, folder=rows.get(pk=step.folder_id))


@transaction.atomic
def settle_marking(marking: Marking, ending: Ending) -> bool:
    """Keep whether the four folders are there; False when it was settled already, or the folder is elsewhere now."""
    rows = WorkFolder.objects.select_for_update(of=("self",), no_key=True).select_related("destination")
    folder = rows.get(pk=marking.folder.pk)
    is_well = ending.code == FolderCode.OK
    try:
        state = CallState.DONE if is_well else CallState.FAILED
        once.settle(FolderStep, marking.step_id, marking.attempt, state, from_=[CallState.SENDING], code=ending.code)
    except once.LostRace:
        return False
    if (folder.destination_id, _place_of(folder)) != (marking.folder.destination_id, _place_of(marking.folder)):
        begin_again(folder)
        return False
    now = clock.now()
    folder.ready_at = now if is_well else None
    folder.code = "" if is_well else str(ending.code)
    folder.try_at = now if is_well else now + AGAIN_AFTER
    folder.save(update_fields=["ready_at", "code", "try_at", "updated_at"])
    logger.info("Work folder looked at", extra={"folder": folder.pk, "code": ending.code})
    return True


def _place_of(folder: WorkFolder) -> str:
    return folder.destination.bucket if folder.destination else ""


def begin_again(folder: WorkFolder) -> None:
    """Make the folders of a bucket that was just set; our own storage needs none. The folder is locked."""
    if folder.storage == FolderStorage.S3:
        begin_marking(folder)


@transaction.atomic
def mark_again(folder_id: uuid.UUID) -> bool:
    """Queue the making of the four folders of a bucket where they are not known to be there."""
    folder = WorkFolder.objects.select_for_update(no_key=True).get(pk=folder_id)
    if folder.storage != FolderStorage.S3 or folder.ready_at is not None:
        return False
    begin_marking(folder)
    return True


def give_up_marking(step_id: uuid.UUID, attempt: uuid.UUID) -> bool:
    """Name a lost making of folders unknown: it is done again, since an empty object made twice is one."""
    try:
        once.settle(FolderStep, step_id, attempt, CallState.UNKNOWN, code=FolderCode.OUTCOME_UNKNOWN)
    except once.LostRace:
        return False
    return True
