"""Looking into Inbox/ of a bucket, and reading what lies there; nothing is ever whole in memory."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

from django.conf import settings

from bakedbrie.lib import log_context, storage
from bakedbrie.lib.outbound.errors import OutboundError
from bakedbrie.lib.s3.answers import Listing, Object, S3Code
from bakedbrie.lib.s3.client import S3
from bakedbrie.lib.s3.pace import timeout_s
from destinations.calls.outcomes import code_of
from destinations.states import DeliveryCode
from reviews.calls.bucket import BucketUnusable, usable_bucket
from reviews.services.folder_steps import Claimed, Ending, settle_step
from reviews.services.inbox import (
    TOP,
    MakeCard,
    NoCard,
    claim_look,
    found_in,
    note,
    require_home,
    settle_look,
    settle_taking,
)
from reviews.states import FolderCode

_LOOK_S = 20.0
_MOST_PAGES = 10


def look(folder_id: uuid.UUID) -> int:
    """Look into one Inbox/ that is due, and say how much was new; the first ten thousand files are looked at."""
    folder = claim_look(folder_id)
    if folder is None:
        return 0
    log_context.bind(workspace=folder.board.workspace_id)
    try:
        bucket = usable_bucket(folder.destination, timeout_s=_LOOK_S)
        found, listing = _listed(bucket)
    except BucketUnusable as error:
        settle_look(folder, error.code)
        return 0
    except OutboundError:
        settle_look(folder, DeliveryCode.UNAVAILABLE)
        return 0
    settle_look(folder, "" if listing.outcome.is_ok else code_of(listing.outcome))
    if not listing.outcome.is_ok:
        return 0
    return note(folder, found_in(found, bucket.bucket.prefix), is_whole=not listing.cursor)


def _listed(bucket: S3) -> tuple[list[Object], Listing]:
    """Return what lies in Inbox/, and the last page of its list: what nobody takes does not hide what comes after."""
    listing = bucket.list(bucket.bucket.key(TOP))
    found = list(listing.objects)
    for _ in range(_MOST_PAGES - 1):
        if not listing.outcome.is_ok or not listing.cursor:
            break
        listing = bucket.list(bucket.bucket.key(TOP), cursor=listing.cursor)
        found += listing.objects
    return found, listing


def take(claimed: Claimed, make_card: MakeCard) -> None:
    """Read a claimed file of Inbox/ and put it onto its card."""
    try:
        require_home(claimed.file)
        bucket = usable_bucket(claimed.file.destination, timeout_s=timeout_s(claimed.file.bytes))
        read = _read(bucket, claimed)
    except (BucketUnusable, NoCard) as error:
        read = Ending(code=error.code)
    except OutboundError:  # reading changes nothing
        read = Ending(code=DeliveryCode.UNAVAILABLE)
    if isinstance(read, Ending):
        settle_step(claimed.step.pk, claimed.attempt, read)
        return
    is_taken = False
    try:
        is_taken = settle_taking(claimed, read, make_card)
    finally:
        if not is_taken:
            storage.delete(read.key)


def _read(bucket: S3, claimed: Claimed) -> storage.Stored | Ending:
    file, most = claimed.file, settings.FILES_MAX_BYTES
    with bucket.get(bucket.bucket.key(claimed.step.key), max_bytes=most) as opened:
        if opened.outcome.code is S3Code.NOT_FOUND:
            return Ending(code=FolderCode.ABSENT)
        if not opened.outcome.is_ok:
            return Ending(code=code_of(opened.outcome))
        if opened.outcome.etag != file.etag:
            return Ending(code=FolderCode.DIFFERS)
        try:
            return storage.store(_Chunks(opened.chunks), key_prefix=f"cards/{file.folder_id}", max_bytes=most)
        except storage.TooLarge:
            return Ending(code=FolderCode.FILE_TOO_LARGE)


class _Chunks:
    """What arrives in pieces, read like a file."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = b""

    def read(self, size: int, /) -> bytes:
        if not self._rest:
            self._rest = next(self._chunks, b"")
        piece, self._rest = self._rest[:size], self._rest[size:]
        return piece
