"""Steps in a bucket of the user's own: each looks before it writes or removes, and says what came of it."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from bakedbrie.lib.outbound.errors import MaybeSent, OutboundError
from bakedbrie.lib.s3.answers import Outcome, S3Code
from bakedbrie.lib.s3.client import S3
from bakedbrie.lib.s3.pace import LEAST_S, timeout_s
from boards.contents import ContentGone, content_of, open_content
from destinations.calls.keys import KeyUnusable, open_bucket
from destinations.calls.outcomes import code_of
from destinations.models import Destination
from destinations.services.attempts import obstacle_of
from destinations.states import DeliveryCode
from reviews.models import FolderFile
from reviews.rules import AREA_NAMES
from reviews.services.folder_steps import Claimed, Ending
from reviews.states import FolderCode, Phase

_IN_MEMORY_BYTES = 65_536
_CHUNK_BYTES = 65_536
_NOT_IMPLEMENTED = 501
_NO_SUCH_KEYS = frozenset({400, 405, _NOT_IMPLEMENTED})  # said to a key that ends with a slash
NOTHING_SHA256 = hashlib.sha256(b"").hexdigest()


def act(claimed: Claimed) -> Ending:
    """Do one claimed step of a file in its bucket."""
    file = claimed.file
    try:
        bucket = usable_bucket(file.destination, timeout_s=timeout_s(file.bytes))
    except BucketUnusable as error:
        return Ending(code=error.code)
    try:
        return _DOING[Phase(claimed.step.phase)](bucket, file, bucket.bucket.key(claimed.step.key))
    except ContentGone:
        return Ending(code=FolderCode.CONTENT_GONE)
    except MaybeSent:
        return Ending(code=FolderCode.OUTCOME_UNKNOWN)
    except OutboundError:
        return Ending(code=DeliveryCode.UNAVAILABLE)


class BucketUnusable(Exception):
    """The bucket cannot be asked at all; ``code`` says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def usable_bucket(destination: Destination | None, *, timeout_s: float) -> S3:
    """Return the bucket of a destination that is on, with its workspace, or raise `BucketUnusable`."""
    obstacle = DeliveryCode.DISABLED if destination is None else obstacle_of(destination)
    if destination is None or obstacle is not None:
        raise BucketUnusable(obstacle or DeliveryCode.DISABLED)
    try:
        return open_bucket(destination, timeout_s=timeout_s)
    except KeyUnusable:
        raise BucketUnusable(DeliveryCode.KEY_UNUSABLE) from None


def make_folders(destination: Destination | None) -> Ending:
    """Make the four folders: an empty object for each that is not there, as consoles of S3 make them.

    A service that knows no key with a slash at its end needs none: there, a folder is where files are.
    """
    try:
        bucket = usable_bucket(destination, timeout_s=LEAST_S)
        for name in AREA_NAMES.values():
            ending = _make_folder(bucket, bucket.bucket.key(f"{name}/"))
            if ending.code != FolderCode.OK:
                return ending
    except BucketUnusable as error:
        return Ending(code=error.code)
    except OutboundError:  # an empty object made twice is one
        return Ending(code=DeliveryCode.UNAVAILABLE)
    return Ending(code=FolderCode.OK)


def _make_folder(bucket: S3, key: str) -> Ending:
    found = bucket.head(key)
    if found.code is S3Code.NOT_FOUND:
        found = bucket.put(key, _Empty(), size=0, sha256=NOTHING_SHA256, media_type="application/x-directory")
    if not found.is_ok and found.status in _NO_SUCH_KEYS and bucket.list(key).outcome.is_ok:
        return Ending(code=FolderCode.OK)
    return Ending(code=FolderCode.OK if found.is_ok else code_of(found))


class _Empty:
    def read(self, size: int, /) -> bytes:
        return b""


def _copy(bucket: S3, file: FolderFile, key: str) -> Ending:
    found = bucket.head(key)
    if found.is_ok:  # an earlier try, or somebody else's: reading it back will tell
        return Ending(code=FolderCode.ALREADY_THERE)
    if found.code is not S3Code.NOT_FOUND:
        return Ending(code=code_of(found))
    written = _put(bucket, file, key, if_none_match=True)
    if written.status == _NOT_IMPLEMENTED:
        written = _put(bucket, file, key, if_none_match=False)
    if written.is_ok:
        return Ending(code=FolderCode.OK)
    if written.code is S3Code.EXISTS:
        return Ending(code=FolderCode.ALREADY_THERE)
    if written.code in {S3Code.UNAVAILABLE, S3Code.MALFORMED}:  # the service itself does not know
        return Ending(code=FolderCode.OUTCOME_UNKNOWN)
    return Ending(code=code_of(written))


def _put(bucket: S3, file: FolderFile, key: str, *, if_none_match: bool) -> Outcome:
    with _bytes_of(bucket, file) as stream:
        return bucket.put(
            key,
            stream,
            size=file.bytes,
            sha256=file.sha256,
            media_type=file.media_type,
            if_none_match=if_none_match,
        )


@contextmanager
def _bytes_of(bucket: S3, file: FolderFile) -> Iterator[IO[bytes]]:
    """Open what was reviewed: as the card has it, else as it lies in the bucket while that is still the same."""
    try:
        stream = open_content(content_of(file))
    except ContentGone:
        if not file.key:
            raise
        with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES) as spool:
            _fetch(bucket, file, spool)
            spool.seek(0)
            yield spool
        return
    with stream:
        yield stream


def _fetch(bucket: S3, file: FolderFile, spool: IO[bytes]) -> None:
    digest = hashlib.sha256()
    with bucket.get(bucket.bucket.key(file.key), max_bytes=file.bytes + 1) as opened:
        for chunk in opened.chunks:
            digest.update(chunk)
            spool.write(chunk)
    if not opened.outcome.is_ok or digest.hexdigest() != file.sha256:
        raise ContentGone(file.name)


def _verify(bucket: S3, file: FolderFile, key: str) -> Ending:
    try:
        read = bucket.hash(key, max_bytes=file.bytes + 1)
    except OutboundError:  # reading changes nothing; one that is too long is not ours
        found = bucket.head(key)
        if found.is_ok and found.bytes not in {None, file.bytes}:
            return Ending(code=FolderCode.DIFFERS)
        return Ending(code=DeliveryCode.UNAVAILABLE)
    if read.outcome.code is S3Code.NOT_FOUND:
        return Ending(code=FolderCode.ABSENT)
    if not read.outcome.is_ok:
        return Ending(code=code_of(read.outcome))
    if read.sha256 != file.sha256:
        return Ending(code=FolderCode.DIFFERS)
    return Ending(code=FolderCode.OK, etag=read.outcome.etag)


def _remove(bucket: S3, file: FolderFile, key: str) -> Ending:
    """Remove our own old bytes; what somebody put in their place meanwhile stays."""
    etag = file.stale_etag if file.stale_key else file.etag
    found = bucket.head(key)
    if found.code is S3Code.NOT_FOUND:
        return Ending(code=FolderCode.ABSENT)
    if not found.is_ok:
        return Ending(code=code_of(found))
    if etag and found.etag != etag:
        return Ending(code=FolderCode.DIFFERS)
    removed = bucket.delete(key)
    return Ending(code=FolderCode.OK if removed.is_ok else code_of(removed))


_DOING = {Phase.COPY: _copy, Phase.VERIFY: _verify, Phase.REMOVE: _remove}
