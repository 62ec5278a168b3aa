"""Inbox/: what people drop there is noted once, and taken onto a card once; then it leaves the bucket."""

from __future__ import annotations

import logging
import re
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from bakedbrie.lib import clock, once, storage
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.s3.answers import Object
from bakedbrie.lib.slugs import card_hash
from bakedbrie.lib.states import CallState
from boards.access import lock_card, may_work_on
from boards.models import Board, Card
from boards.services.events import record_event
from boards.services.files import keep_file
from boards.states import EventKind, FileOrigin
from reviews.models import FolderFile, WorkFolder
from reviews.rules import AREA_NAMES
from reviews.selectors.folders import counts
from reviews.services.folder_edits import folder_actor
from reviews.services.folder_steps import Claimed, end, go_on, lock_file, not_taken, save
from reviews.states import FolderArea, FolderCode, FolderStorage, InboxMode
from workspaces.caller import Caller

logger = logging.getLogger(__name__)

LOOK_EVERY = timedelta(minutes=1)
AT_ONCE = 20
MOST_KEY_BYTES = 1024  # of S3
TOP = f"{AREA_NAMES[FolderArea.INBOX]}/"
_HASH = re.compile(r"[a-z0-9]{6}")
_BETWEEN = re.compile(r"[^a-z0-9]+")

MakeCard = Callable[[Caller, Board, str], Card]


@dataclass(frozen=True, kw_only=True)
class Found:
    """An object in Inbox/, by its path below the prefix of the bucket."""

    path: str
    bytes: int
    etag: str


def due_folders(limit: int) -> list[uuid.UUID]:
    """Return the folders whose Inbox/ is to be looked into."""
    folders = WorkFolder.objects.filter(
        storage=FolderStorage.S3, ready_at__isnull=False, try_at__lte=Now(), board__archived_at__isnull=True
    )
    found = folders.exclude(inbox=InboxMode.OFF).filter(
        board__workspace__capabilities__contains=["reviews", "destinations"]
    )
    return list(found.order_by("try_at").values_list("pk", flat=True)[:limit])


def claim_look(folder_id: uuid.UUID) -> WorkFolder | None:
    """Take the next look into one folder's Inbox/; None when somebody else has it, or it is not due."""
    rows = WorkFolder.objects.filter(pk=folder_id, storage=FolderStorage.S3, try_at__lte=Now())
    if not rows.exclude(inbox=InboxMode.OFF).update(try_at=Now() + LOOK_EVERY):
        return None
    with_all = WorkFolder.objects.select_related("board__workspace", "destination__secret", "destination__workspace")
    return with_all.get(pk=folder_id)


def settle_look(folder: WorkFolder, code: str) -> None:
    """Say at the folder whether its bucket could be looked into."""
    WorkFolder.objects.filter(pk=folder.pk, destination=folder.destination_id).update(code=code)


def found_in(objects: Sequence[Object], prefix: str) -> list[Found]:
    """Return the files among the objects of a list, each once; a key that ends with a slash is a folder.

    A service may list what it was not asked for: what is not in Inbox/, and what no row can name, is left alone.
    """
    below, top = len(prefix), prefix + TOP
    files = {one.key: one for one in objects if one.key.startswith(top) and _may_be_named(one.key)}
    return [Found(path=key[below:], bytes=one.bytes, etag=one.etag) for key, one in files.items()]


def _may_be_named(key: str) -> bool:
    return not key.endswith("/") and "\x00" not in key and len(key.encode()) <= MOST_KEY_BYTES


@transaction.atomic
def note(folder: WorkFolder, found: Sequence[Found], *, is_whole: bool) -> int:
    """Write down what is new in Inbox/, some at once, and queue the taking of it; say how much was new.

    What was refused before is looked at again once it has changed.
    """
    locked = WorkFolder.objects.select_for_update(of=("self",), no_key=True).select_related("board").get(pk=folder.pk)
    rows = FolderFile.objects.filter(folder=locked, area=FolderArea.INBOX, gone_at__isnull=True)
    known = {file.path: file for file in rows}
    new = [one for one in found if one.path not in known or _came_anew(known[one.path], one)]
    for one in new[:AT_ONCE]:
        file = known.get(one.path) or FolderFile(
            folder=locked,
            storage=FolderStorage.S3,
            destination=folder.destination,
            area=FolderArea.INBOX,
            path=one.path,
            name=storage.safe_name(one.path.rpartition("/")[2]),
        )
        file.key, file.etag, file.bytes = one.path, one.etag, one.bytes
        file.code, file.tries, file.try_at, file.is_settled = _why_not(one), 0, None, bool(_why_not(one))
        file.save()
        if not file.code:
            go_on(file)
    if is_whole:
        _forget(rows, {one.path for one in found})
    return len(new)


def _forget(rows: QuerySet[FolderFile], there: set[str]) -> None:
    """Leave out what was refused and is not in Inbox/ any more."""
    now = clock.now()
    rows.filter(card=None, is_settled=True).exclude(path__in=there).update(gone_at=now, key="", updated_at=now)


def _came_anew(file: FolderFile, found: Found) -> bool:
    return bool(file.key) and file.etag != found.etag and (file.is_settled or bool(file.code))


def _why_not(found: Found) -> str:
    if found.bytes > settings.FILES_MAX_BYTES:
        return FolderCode.FILE_TOO_LARGE
    if {".", ".."} & set(found.path.split("/")):  # on its way it would become the address of another object
        return FolderCode.NAME_UNSAFE
    return "" if found.bytes else FolderCode.FILE_EMPTY


@transaction.atomic
def settle_taking(claimed: Claimed, stored: storage.Stored, make_card: MakeCard) -> bool:
    """Put what was read from Inbox/ onto its card, once, and let the object go; False when that was not done here.

    Whatever stands against it is kept as the file's code: it stays in Inbox/, and is tried again later.
    """
    file = lock_file(claimed.file.pk)
    if file is None:
        return False
    try:
        with transaction.atomic():
            end(claimed.step, claimed.attempt, CallState.DONE, FolderCode.OK)
            _take(file, stored, make_card)
    except once.LostRace:
        return False
    except (Refused, NoCard) as error:
        end(claimed.step, claimed.attempt, CallState.FAILED, error.code)
        not_taken(file, error.code)
        go_on(file)
        return False
    file.stale_key, file.stale_etag, file.key = file.key, file.etag, ""
    file.code, file.tries, file.try_at = "", 0, None
    file.save(update_fields=["card", "file", "sha256", "bytes", "media_type", "updated_at"])
    save(file)
    go_on(file)
    return True


class NoCard(Exception):
    """No card takes a file; ``code`` says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def require_home(file: FolderFile) -> tuple[Caller, Board, Card | None]:
    """Return on whose behalf a file is taken, and the card it names; raise `NoCard` where none would take it."""
    folder = WorkFolder.objects.select_related("board__workspace", "set_by__member__user").get(pk=file.folder_id)
    board, member = folder.board, folder.set_by.member
    is_left = folder.inbox == InboxMode.OFF or folder.destination_id != file.destination_id
    if is_left or not counts(folder, board.workspace):
        raise NoCard(FolderCode.NOT_READ_NOW)
    if member is None or not may_work_on(member, board):
        raise NoCard(FolderCode.MEMBER_REMOVED)
    card = named_card(board, file.path)
    if card is None and folder.inbox != InboxMode.CARD:
        raise NoCard(FolderCode.NAMES_NO_CARD)
    actor = folder_actor(board.workspace)
    return Caller.for_agent(workspace=board.workspace, agent=actor, started_by=member), board, card


def _take(file: FolderFile, stored: storage.Stored, make_card: MakeCard) -> None:
    caller, board, named = require_home(file)
    actor = caller.actor
    card = lock_card(named or make_card(caller, board, title_of(file.name)))
    made = keep_file(actor, card=card, name=file.name, stored=stored, origin=FileOrigin.UPLOAD)
    file.card, file.file, file.sha256, file.bytes, file.media_type = (
        card,
        made,
        made.sha256,
        made.bytes,
        made.media_type,
    )
    record_event(board, EventKind.FOLDER_FILE_TAKEN, actor=actor, card=card, file=str(made.pk), name=made.name)


def named_card(board: Board, path: str) -> Card | None:
    """Return the card that a folder or the name of a file tells by its id or its six characters, if it is one alone."""
    words = set(_BETWEEN.split(path.casefold()))
    hashes = {word for word in words if _HASH.fullmatch(word)}
    cards = Card.objects.filter(board=board, trashed_at__isnull=True)
    ids = [pk for pk in cards.values_list("pk", flat=True) if card_hash(pk) in hashes or str(pk) in path.casefold()]
    return cards.select_related("board", "stage", "owner").get(pk=ids[0]) if len(ids) == 1 else None


def title_of(name: str) -> str:
    """Return what a card made of a file is called."""
    stem, dot, _ = name.rpartition(".")
    return ((stem if dot and stem else name).strip() or name)[:300]
