"""What people changed in Needs review/ since it was put there: looked for before somebody decides."""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import IO

from django.conf import settings

from bakedbrie.lib import storage
from bakedbrie.lib.outbound.errors import OutboundError
from bakedbrie.lib.s3.answers import S3Code
from bakedbrie.lib.s3.client import S3
from boards.models import Card, Iteration
from destinations.calls.outcomes import code_of
from destinations.states import DeliveryCode
from reviews.calls.bucket import BucketUnusable, usable_bucket
from reviews.models import FolderFile, Review
from reviews.refusals import WORK_FOLDER_UNREACHABLE
from reviews.services.folder_edits import MOST_TEXT, Edit, keep_etag, put_back, take_edits
from reviews.states import FolderArea, FolderCode, FolderStorage

_IN_MEMORY_BYTES = 65_536
_ALL_S = 60.0


def check_bucket(review: Review) -> bool:
    """Look at what an open review has in its bucket, and tell whether anything of it was changed there.

    What was changed is on the card then, and the review about it, under a new hash; see `check_files`.
    """
    with_all = ("destination__secret", "destination__workspace")
    files = FolderFile.objects.select_related(*with_all).filter(review=review, unwanted_at__isnull=True)
    return review.is_open and check_files(review.card, review.iteration, files.order_by("pk"), review)


def check_files(card: Card, iteration: Iteration, files: Iterable[FolderFile], review: Review | None = None) -> bool:
    """Take what differs in the bucket onto the card, and tell whether anything did.

    Runs outside any transaction. Raises WORK_FOLDER_UNREACHABLE where the bucket cannot be read: nobody decides on
    what was not looked at. All files together have one minute, and each may take all that is left of it: how large it
    is by now is not known before. What is in our own storage, or not put into the bucket
    yet, needs no look.
    """
    edits: list[Edit] = []
    ends_at = time.monotonic() + _ALL_S
    with ExitStack() as undo:
        for file in files:
            if file.storage == FolderStorage.S3 and file.area == FolderArea.NEEDS_REVIEW and file.key:
                edit = _look(file, undo, left_s=ends_at - time.monotonic())
                if edit is not None:
                    edits.append(edit)
        if not edits:
            return False
        take_edits(card, iteration, edits, review)
        undo.pop_all()
    return True


def _look(file: FolderFile, undo: ExitStack, *, left_s: float) -> Edit | None:
    if left_s <= 0:
        raise WORK_FOLDER_UNREACHABLE(reason=DeliveryCode.UNAVAILABLE, file=file.path)
    try:
        bucket = usable_bucket(file.destination, timeout_s=left_s)
        return _read(bucket, file, undo)
    except BucketUnusable as error:
        raise WORK_FOLDER_UNREACHABLE(reason=error.code, file=file.path) from None
    except OutboundError:
        raise WORK_FOLDER_UNREACHABLE(reason=DeliveryCode.UNAVAILABLE, file=file.path) from None


def _read(bucket: S3, file: FolderFile, undo: ExitStack) -> Edit | None:
    key, most = bucket.bucket.key(file.key), settings.FILES_MAX_BYTES
    with (
        tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES) as spool,
        bucket.get(key, max_bytes=most, if_none_match=file.etag) as opened,
    ):
        outcome = opened.outcome
        if outcome.code is S3Code.UNCHANGED:
            return None
        if outcome.code is S3Code.NOT_FOUND:  # taken away by hand: what is reviewed is on the card, and goes back
            put_back(file)
            return None
        if not outcome.is_ok:
            raise WORK_FOLDER_UNREACHABLE(reason=code_of(outcome), file=file.path)
        sha256 = _spool(opened.chunks, spool)
        if sha256 == file.sha256:
            keep_etag(file, outcome.etag)
            return None
        spool.seek(0)
        return _edit(file, spool, outcome.etag, undo)


def _spool(chunks: Iterator[bytes], spool: IO[bytes]) -> str:
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk)
        spool.write(chunk)
    return digest.hexdigest()


def _edit(file: FolderFile, spool: IO[bytes], etag: str, undo: ExitStack) -> Edit:
    if file.result_id is None:
        stored = storage.store(spool, key_prefix=f"cards/{file.card_id}", max_bytes=settings.FILES_MAX_BYTES)
        undo.callback(storage.delete, stored.key)
        return Edit(file=file, etag=etag, stored=stored)
    raw = spool.read(MOST_TEXT + 1)
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = "\x00"
    if len(raw) > MOST_TEXT or "\x00" in text:
        raise WORK_FOLDER_UNREACHABLE(reason=FolderCode.NOT_TEXT, file=file.path)
    return Edit(file=file, etag=etag, text=text)
