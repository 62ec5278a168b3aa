"""Card files: kept as they stream in, under a safe name that is unique on the card."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from functools import partial

from django.conf import settings
from django.core.files.base import File
from django.db import transaction

from bakedbrie.lib import clock, storage
from bakedbrie.lib.refusals import NOT_FOUND
from boards.access import lock_card, require_open
from boards.models import Card, CardFile
from boards.refusals import FILE_EMPTY, FILE_TOO_LARGE, TOO_MANY_FILES
from boards.services.cards import count_change
from boards.services.events import record_event
from boards.states import EventKind, FileOrigin
from workspaces.access import require_writer
from workspaces.caller import Caller

logger = logging.getLogger(__name__)

MOST_FILES = 100


def add_file(caller: Caller, *, card: Card, name: str, stream: storage.Readable) -> CardFile:
    """Keep an upload. Rights are checked before the first byte is read, and nothing stays in storage on a refusal."""
    require_upload(caller, card=card)
    try:
        stored = storage.store(stream, key_prefix=f"cards/{card.pk}", max_bytes=settings.FILES_MAX_BYTES)
    except storage.TooLarge as error:
        raise FILE_TOO_LARGE(max_bytes=error.max_bytes) from error
    with ExitStack() as undo:
        undo.callback(storage.delete, stored.key)
        if not stored.bytes:
            raise FILE_EMPTY()
        file = _link_file(caller, card, storage.safe_name(name), stored)
        undo.pop_all()
    return file


def require_upload(caller: Caller, *, card: Card) -> None:
    """Refuse an upload that cannot be kept whatever it holds: a door asks before it takes the body in."""
    require_writer(caller)
    require_open(card.board)
    _require_room(card)


@transaction.atomic
def _link_file(caller: Caller, card: Card, name: str, stored: storage.Stored) -> CardFile:
    card = lock_card(card)
    _require_room(card)
    taken = card.files.filter(removed_at__isnull=True).values_list("name", flat=True)
    file = CardFile.objects.create(
        card=card,
        name=free_name(name, {other.casefold() for other in taken}),
        media_type=storage.sniff(stored.head, name),
        bytes=stored.bytes,
        sha256=stored.sha256,
        storage_key=stored.key,
        origin=FileOrigin.UPLOAD,
        added_by=caller.actor,
    )
    count_change(card)
    record_event(card.board, EventKind.FILE_ADDED, actor=caller.actor, card=card, file=str(file.pk), name=file.name)
    return file


@transaction.atomic
def remove_file(caller: Caller, *, file: CardFile) -> None:
    """Take a file off its card. The row stays for what points at it; the bytes go once this is committed."""
    require_writer(caller)
    card = lock_card(file.card)
    now = clock.now()
    removed = CardFile.objects.filter(pk=file.pk, removed_at__isnull=True).update(removed_at=now, updated_at=now)
    if not removed:
        return
    count_change(card)
    record_event(card.board, EventKind.FILE_REMOVED, actor=caller.actor, card=card, file=str(file.pk), name=file.name)
    transaction.on_commit(partial(storage.delete, file.storage_key), robust=True)


def open_bytes(file: CardFile) -> File[bytes]:
    """Open the file for reading; the caller closes it. One that was removed this moment is absent."""
    try:
        return storage.open_file(file.storage_key)
    except FileNotFoundError:
        logger.warning("The bytes of a card file are gone", extra={"file": file.pk})
        raise NOT_FOUND() from None


def free_name(name: str, taken: set[str]) -> str:
    """Return ``name``, or "notes (2).md" and so on. ``taken`` is case-folded: some disks do not tell cases apart."""
    stem, dot, ending = name.rpartition(".")
    if not stem:
        stem, dot, ending = name, "", ""
    n = 1
    while name.casefold() in taken:
        n += 1
        name = f"{stem} ({n}){dot}{ending}"
    return name


def _require_room(card: Card) -> None:
    if card.files.filter(removed_at__isnull=True).count() >= MOST_FILES:
        raise TOO_MANY_FILES(limit=MOST_FILES)
