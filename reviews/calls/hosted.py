"""Steps in our own storage: bytes get a key of their own, and a move between the four folders changes a row alone."""

from __future__ import annotations

import logging
from contextlib import closing

from bakedbrie.lib import storage
from boards.contents import ContentGone, content_of, open_content
from reviews.models import FolderFile
from reviews.rules import HOSTED_TOP
from reviews.services.folder_steps import Claimed, Ending
from reviews.states import FolderCode

logger = logging.getLogger(__name__)


def act(claimed: Claimed) -> Ending:
    """Keep the bytes of the file."""
    try:
        return _copy(claimed.file)
    except OSError:
        logger.exception("Our storage did not keep a file", extra={"step": claimed.step.pk})
        return Ending(code=FolderCode.STORAGE_UNAVAILABLE)


def _copy(file: FolderFile) -> Ending:
    try:
        with closing(open_content(content_of(file))) as stream:
            stored = storage.store(stream, key_prefix=f"{HOSTED_TOP}/{file.folder_id}", max_bytes=file.bytes)
    except ContentGone:
        return Ending(code=FolderCode.CONTENT_GONE)
    except storage.TooLarge:
        return Ending(code=FolderCode.DIFFERS)
    if stored.sha256 != file.sha256:
        storage.delete(stored.key)
        return Ending(code=FolderCode.DIFFERS)
    return Ending(code=FolderCode.OK, key=stored.key)
