"""The steps of a file: what is next is queued, claimed, and settled once; a lost answer is looked after, never guessed.

Everything a step does may happen a second time without harm: the same bytes go to the same place, and old ones are
removed only once the new ones were read back.
"""

from __future__ import annotations

import logging
import uuid
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction

from bakedbrie.lib import clock, once, storage
from bakedbrie.lib.after_commit import after_commit
from bakedbrie.lib.jobs import Job, poke
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.s3.pace import timeout_s
from bakedbrie.lib.states import CallState
from boards.services.files import free_name
from destinations.services.attempts import obstacle_of
from destinations.states import DeliveryCode
from reviews.models import FolderFile, FolderStep
from reviews.rules import Place, Work, next_intake, next_work, pause_after, target_of
from reviews.states import FolderArea, FolderCode, FolderStorage, Phase
from workspaces.services.room import give_room, take_room

logger = logging.getLogger(__name__)

_EXCHANGES = 6  # a look, two writes where a service does not know a header, and a look at what came of it
STOPS = frozenset({DeliveryCode.DISABLED, DeliveryCode.TURNED_OFF})
_DONE = frozenset({FolderCode.OK, FolderCode.ALREADY_THERE})
# What a step changes of its file.
_MACHINE = (
    *("area", "path", "key", "copying_to", "stale_key", "stale_etag", "etag", "has_room", "unwanted_at", "gone_at"),
    *("is_settled", "code", "tries", "try_at", "updated_at"),
)


@dataclass(frozen=True, kw_only=True)
class Claimed:
    """A step that this process is to do, with its file, folder and board."""

    step: FolderStep
    file: FolderFile
    attempt: uuid.UUID


@dataclass(frozen=True, kw_only=True)
class Ending:
    """What came of a step. ``key`` is where our own storage put the bytes, ``etag`` how a bucket marks them."""

    code: str
    key: str = ""
    etag: str = ""


def go_on(file: FolderFile) -> None:
    """Queue what the file needs next, unless a step is under way or it is too early; say when it needs nothing.

    The file is locked, or was made in this transaction.
    """
    if file.storage == FolderStorage.HOSTED and file.unwanted_at is not None:
        _drop_bytes(file)
    work = _next(file)
    if work is None:
        _come_to_rest(file)
        return
    file.is_settled = False
    save(file)
    is_early = file.try_at is not None and file.try_at > clock.now()
    if is_early or FolderStep.objects.filter(file=file, state__in=[CallState.QUEUED, CallState.SENDING]).exists():
        return
    step = FolderStep.objects.create(
        folder_id=file.folder_id, file=file, phase=work.phase, to_area=file.area, key=work.key
    )
    poke(Job.FOLDER_STEP, step.pk)


@transaction.atomic
def claim_step(step_id: uuid.UUID) -> Claimed | None:
    """Take a queued step of a file; None when somebody else has it, when the file needs something else by now, or
    while it waits for the end of a pause."""
    step = FolderStep.objects.filter(pk=step_id, state=CallState.QUEUED, file__isnull=False).first()
    file = lock_file(step.file_id) if step is not None and step.file_id else None
    if step is None or file is None:
        return None
    work = _next(file)
    if work is None or (work.phase, work.key) != (step.phase, step.key):
        _drop(step, file)
        return None
    if _is_held(file):
        return None
    obstacle = switched_off(file)
    if obstacle is not None:
        _stand_still(step, file, obstacle)
        return None
    try:
        attempt = once.claim(FolderStep, step.pk, deadline=deadline_of(file))
    except once.LostRace:
        return None
    if work.phase is Phase.COPY:
        if not _takes_room(file):
            _end(step, attempt, file, Ending(code=FolderCode.STORAGE_QUOTA_EXCEEDED))
            return None
        if file.storage != FolderStorage.HOSTED and file.area != FolderArea.INBOX:
            file.copying_to = work.key
        save(file)
    return Claimed(step=step, file=file, attempt=attempt)


@transaction.atomic
def settle_step(step_id: uuid.UUID, attempt: uuid.UUID, ending: Ending) -> bool:
    """Keep what came of a claimed step, and queue what follows; False when it was settled already."""
    step = FolderStep.objects.filter(pk=step_id, attempt=attempt, file__isnull=False).first()
    file = lock_file(step.file_id) if step is not None and step.file_id else None
    if step is None or file is None:
        return False
    try:
        _end(step, attempt, file, ending)
    except once.LostRace:
        return False
    return True


def deadline_of(file: FolderFile) -> timedelta:
    """Return the longest that a step of this file lasts."""
    return _EXCHANGES * timedelta(seconds=timeout_s(file.bytes))


def lock_file(file_id: uuid.UUID) -> FolderFile | None:
    """Return a file's newest row, locked until the transaction ends, with its folder, board and what holds its
    bytes."""
    rows = FolderFile.objects.select_for_update(of=("self",), no_key=True)
    return (
        rows.select_related("folder__board", "destination__secret", "destination__workspace", "result", "file")
        .filter(pk=file_id)
        .first()
    )


def save(file: FolderFile) -> None:
    file.save(update_fields=_MACHINE)


def _is_held(file: FolderFile) -> bool:
    """While work is paused, nothing is written to a bucket; our own storage is not outside."""
    destination = file.destination if file.storage == FolderStorage.S3 else None
    return destination is not None and destination.workspace.dispatch_paused


def _next(file: FolderFile) -> Work | None:
    if file.area == FolderArea.INBOX:
        return next_intake(file.key, file.stale_key)
    place = Place(
        key=file.key,
        copying_to=file.copying_to,
        stale_key=file.stale_key,
        is_unwanted=file.unwanted_at is not None,
    )
    return next_work(place, target_of(FolderStorage(file.storage), FolderArea(file.area), file.path, file.key))


def _come_to_rest(file: FolderFile) -> None:
    file.is_settled, file.code, file.tries, file.try_at = True, "", 0, None
    is_out = file.unwanted_at is not None or file.area == FolderArea.INBOX
    if is_out and file.gone_at is None:
        file.gone_at = clock.now()
        if file.has_room:
            give_room(file.folder.board.workspace_id, file.bytes)
            file.has_room = False
    save(file)


def _drop_bytes(file: FolderFile) -> None:
    """In our own storage bytes go after the row that names them, as those of cards do: a backup finds what it names."""
    if file.key:
        after_commit(storage.delete, file.key)
        file.key = ""


def _takes_room(file: FolderFile) -> bool:
    """Count the bytes before they are stored with us; a bucket of the user's own has its own limits."""
    if file.storage != FolderStorage.HOSTED or file.has_room:
        return True
    try:
        take_room(file.folder.board.workspace_id, file.bytes)
    except Refused:
        return False
    file.has_room = True
    return True


def _drop(step: FolderStep, file: FolderFile) -> None:
    """Cancel a step that nothing was sent for, and go on with what is needed instead."""
    try:
        once.move(FolderStep, step.pk, from_=CallState.QUEUED, to=CallState.CANCELED)
    except once.LostRace:
        return
    go_on(file)


def switched_off(file: FolderFile) -> DeliveryCode | None:
    """Return why nothing may be done in the file's bucket however often it is tried: its destination is off, or the
    capability; None where there is no such reason."""
    if file.storage != FolderStorage.S3 or file.destination is None:
        return None
    obstacle = obstacle_of(file.destination)
    return obstacle if obstacle in STOPS else None


def _stand_still(step: FolderStep, file: FolderFile, code: DeliveryCode) -> None:
    """End a queued step, and the trying with it; the file says why. A file that still counts goes on where the work
    folder lies by now, if that is elsewhere; else the sweep takes it up once there is somewhere to go."""
    try:
        once.move(FolderStep, step.pk, from_=CallState.QUEUED, to=CallState.CANCELED, code=code)
    except once.LostRace:
        return
    if code is DeliveryCode.DISABLED and has_another_home(file):
        file.storage, file.destination = file.folder.storage, file.folder.destination
        file.key = file.copying_to = file.stale_key = file.stale_etag = file.etag = ""
        file.save(update_fields=["storage", "destination"])
        _went_well(file)
        go_on(file)
        return
    file.is_settled, file.code, file.try_at = True, str(code), None
    save(file)
    logger.info("Folder file stands still", extra={"file": file.pk, "code": str(code)})


def has_another_home(file: FolderFile) -> bool:
    """Whether a file that still counts, and whose bytes the card has, belongs where the folder lies by now."""
    is_elsewhere = (file.folder.storage, file.folder.destination_id) != (file.storage, file.destination_id)
    return (
        is_elsewhere
        and file.folder.storage != FolderStorage.NONE
        and file.unwanted_at is None
        and file.area in {FolderArea.NEEDS_REVIEW, FolderArea.APPROVED}
    )


def _end(step: FolderStep, attempt: uuid.UUID, file: FolderFile, ending: Ending) -> None:
    state = CallState.FAILED
    if ending.code in _DONE:
        state = CallState.DONE
    elif ending.code == FolderCode.OUTCOME_UNKNOWN:
        state = CallState.UNKNOWN
    end(step, attempt, state, ending.code)
    _AFTER[Phase(step.phase)](file, step.key, ending)
    go_on(file)


def end(step: FolderStep, attempt: uuid.UUID, to: CallState, code: str) -> None:
    """Settle a claimed step, or raise `bakedbrie.lib.once.LostRace`."""
    once.settle(FolderStep, step.pk, attempt, to, from_=[CallState.SENDING], code=code)
    logger.info("Folder step ended", extra={"step": step.pk, "phase": step.phase, "code": code})


def _after_copy(file: FolderFile, key: str, ending: Ending) -> None:
    if file.area == FolderArea.INBOX:
        not_taken(file, ending.code)
        return
    if ending.code in _DONE:
        if file.storage == FolderStorage.HOSTED:  # our own storage was read back as it was written
            file.key = ending.key
            _went_well(file)
        return
    if ending.code != FolderCode.OUTCOME_UNKNOWN:
        file.copying_to = ""
        fail(file, ending.code)


def not_taken(file: FolderFile, code: str) -> None:
    """A file of Inbox/ that could not be taken. One that changed or went away meanwhile, or that is left alone now, is
    met anew, if at all, by the next look."""
    if code in {FolderCode.ABSENT, FolderCode.DIFFERS, FolderCode.NOT_READ_NOW}:
        file.key = ""
    elif code != FolderCode.OUTCOME_UNKNOWN:
        fail(file, code)


def _after_verify(file: FolderFile, key: str, ending: Ending) -> None:
    if ending.code == FolderCode.OK:
        file.stale_key, file.stale_etag = (file.key, file.etag) if file.key != key else ("", "")
        file.key, file.etag, file.copying_to = key, ending.etag, ""
        _went_well(file)
        return
    if ending.code == FolderCode.ABSENT:
        file.copying_to = ""
    elif ending.code == FolderCode.DIFFERS:  # somebody else's file: ours takes another name
        file.copying_to = ""
        file.path = free_path(file)
    fail(file, ending.code)


def _after_remove(file: FolderFile, key: str, ending: Ending) -> None:
    if ending.code not in {FolderCode.OK, FolderCode.ABSENT, FolderCode.DIFFERS}:
        fail(file, ending.code)
        return
    if file.stale_key == key:
        file.stale_key = file.stale_etag = ""
    elif file.key == key:
        file.key = file.etag = ""
    _went_well(file)


_AFTER = {Phase.COPY: _after_copy, Phase.VERIFY: _after_verify, Phase.REMOVE: _after_remove}


def _went_well(file: FolderFile) -> None:
    file.code, file.tries, file.try_at = "", 0, None


def fail(file: FolderFile, code: str) -> None:
    file.code, file.try_at = str(code), clock.now() + pause_after(file.tries)
    file.tries = min(file.tries + 1, 1_000)


def free_path(file: FolderFile) -> str:
    """Return the file's path with a number that no file of its folder has."""
    others = FolderFile.objects.filter(folder=file.folder_id, gone_at__isnull=True)
    return free_name(file.path, {path.casefold() for path in others.values_list("path", flat=True)})
