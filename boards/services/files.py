"""Card files: kept as they stream in, under a safe name that is unique on the card."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from django.conf import settings
from django.core.files.base import File
from django.db import transaction

from bakedbrie.lib import clock, storage
from bakedbrie.lib.after_commit import after_commit
from bakedbrie.lib.refusals import NOT_FOUND
from boards.access import lock_card, require_not_trashed, require_open
from boards.models import Card, CardFile
from boards.refusals import FILE_EMPTY, FILE_TOO_LARGE, TOO_MANY_FILES
from boards.services.cards import count_change
from boards.services.events import record_event
from boards.states import EventKind, FileOrigin
from workspaces.access import require_capability, require_writer
from workspaces.caller import Caller
from workspaces.models import Actor
from workspaces.services.room import give_room, require_room, take_room

logger = logging.getLogger(__name__)

MOST_FILES = 100


@dataclass(frozen=True, kw_only=True)
class Upload:
    """A file on its way in: the sender's name for it, and its bytes."""

    name: str
    stream: storage.Readable


@dataclass(kw_only=True)
class Arrived:
    """Uploads whose bytes are stored, but which no card shows yet."""

    caller: Caller
    card: Card
    kept: list[tuple[str, storage.Stored]] = field(default_factory=list)
    is_linked: bool = False

    @property
    def told(self) -> list[dict[str, str]]:
        """What tells these uploads from others: the same bytes under the same name are the same upload."""
        return [{"name": name, "sha256": stored.sha256} for name, stored in self.kept]

    def link(self) -> list[CardFile]:
        """Put them on the card."""
        files = _link_files(self.caller, self.card, self.kept)
        self.is_linked = True
        return files


def add_file(caller: Caller, *, card: Card, name: str, stream: storage.Readable) -> CardFile:
    """Keep one upload, as `add_files` does."""
    return add_files(caller, card=card, uploads=[Upload(name=name, stream=stream)])[0]


def add_files(caller: Caller, *, card: Card, uploads: Sequence[Upload]) -> list[CardFile]:
    """Keep all uploads or none."""
    with arrived(caller, card=card, uploads=uploads) as here:
        return here.link()


@contextmanager
def arrived(caller: Caller, *, card: Card, uploads: Sequence[Upload]) -> Iterator[Arrived]:
    """Store what arrives; what is not linked to the card when the block ends is deleted again.

    Rights are checked before the first byte is read, and nothing stays in storage on a refusal. Bytes are stored
    before the card is locked: a slow sender holds nobody up.
    """
    require_upload(caller, card=card, count=len(uploads))
    with ExitStack() as undo:
        here = Arrived(caller=caller, card=card)
        for upload in uploads:
            stored = _store(card, upload)
            undo.callback(storage.delete, stored.key)
            if not stored.bytes:
                raise FILE_EMPTY(name=storage.safe_name(upload.name))
            here.kept.append((storage.safe_name(upload.name), stored))
        yield here
        if here.is_linked:
            undo.pop_all()


def require_upload(caller: Caller, *, card: Card, count: int = 1) -> None:
    """Refuse uploads that cannot be kept whatever they hold: a door asks before it takes the body in."""
    require_writer(caller)
    require_capability(caller, "media")
    require_open(card.board)
    require_not_trashed(card)
    _require_slot(card, count)
    require_room(card.board.workspace_id)


def _store(card: Card, upload: Upload) -> storage.Stored:
    try:
        return storage.store(upload.stream, key_prefix=f"cards/{card.pk}", max_bytes=settings.FILES_MAX_BYTES)
    except storage.TooLarge as error:
        raise FILE_TOO_LARGE(name=storage.safe_name(upload.name), max_bytes=error.max_bytes) from error


@transaction.atomic
def _link_files(caller: Caller, card: Card, kept: Sequence[tuple[str, storage.Stored]]) -> list[CardFile]:
    card = lock_card(card)
    _require_slot(card, len(kept))
    names = card.files.filter(removed_at__isnull=True).values_list("name", flat=True)
    taken = {name.casefold() for name in names}
    files = []
    for name, stored in kept:
        file = CardFile.objects.create(
            card=card,
            name=free_name(name, taken),
            media_type=storage.sniff(stored.head, name),
            bytes=stored.bytes,
            sha256=stored.sha256,
            storage_key=stored.key,
            origin=FileOrigin.UPLOAD,
            added_by=caller.actor,
        )
        taken.add(file.name.casefold())
        count_change(card)
        record_event(card.board, EventKind.FILE_ADDED, actor=caller.actor, card=card, file=str(file.pk), name=file.name)
        files.append(file)
    take_room(card.board.workspace_id, sum(stored.bytes for _, stored in kept))
    return files


@transaction.atomic
def remove_file(caller: Caller, *, file: CardFile) -> None:
    """Take a file off its card. The row stays for what points at it; the bytes go once this is committed."""
    require_writer(caller)
    require_capability(caller, "media")
    card = lock_card(file.card)
    now = clock.now()
    removed = CardFile.objects.filter(pk=file.pk, removed_at__isnull=True).update(removed_at=now, updated_at=now)
    if not removed:
        return
    count_change(card)
    record_event(card.board, EventKind.FILE_REMOVED, actor=caller.actor, card=card, file=str(file.pk), name=file.name)
    give_room(card.board.workspace_id, file.bytes)
    after_commit(storage.delete, file.storage_key)


@transaction.atomic(savepoint=False)
def replace_file(actor: Actor, *, card: Card, old: CardFile | None, name: str, stored: storage.Stored) -> CardFile:
    """Put a newer version of a made file on a locked card, in the place of the one before while that is there."""
    now = clock.now()
    is_there = old is not None and CardFile.objects.filter(pk=old.pk, removed_at__isnull=True).update(
        removed_at=now, updated_at=now
    )
    if old is not None and is_there:
        give_room(card.board.workspace_id, old.bytes)
        after_commit(storage.delete, old.storage_key)
    return keep_file(actor, card=card, name=name, stored=stored, origin=FileOrigin.MADE)


@transaction.atomic(savepoint=False)
def keep_file(actor: Actor, *, card: Card, name: str, stored: storage.Stored, origin: FileOrigin) -> CardFile:
    """Put stored bytes on a locked card, in the name of whoever brought them."""
    _require_slot(card, 1)
    taken = {one.casefold() for one in card.files.filter(removed_at__isnull=True).values_list("name", flat=True)}
    file = CardFile.objects.create(
        card=card,
        name=free_name(name, taken),
        media_type=storage.sniff(stored.head, name),
        bytes=stored.bytes,
        sha256=stored.sha256,
        storage_key=stored.key,
        origin=origin,
        added_by=actor,
    )
    count_change(card)
    record_event(card.board, EventKind.FILE_ADDED, actor=actor, card=card, file=str(file.pk), name=file.name)
    take_room(card.board.workspace_id, stored.bytes)
    return file


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


def _require_slot(card: Card, count: int) -> None:
    if card.files.filter(removed_at__isnull=True).count() + count > MOST_FILES:
        raise TOO_MANY_FILES(limit=MOST_FILES)
