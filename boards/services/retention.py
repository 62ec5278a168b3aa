"""What is not kept: bytes that no card shows, left by a crash between storing and committing, or after a removal."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice

from bakedbrie.lib import clock, ids, storage
from boards.models import CardFile

logger = logging.getLogger(__name__)

# Longer than any upload lasts: its bytes are stored before its row.
ORPHAN_AFTER = timedelta(days=1)
_AT_ONCE = 500


def sweep_orphans() -> int:
    """Delete stored files that no row of a card points at, and say how many. Younger ones may be on their way."""
    return sweep_below("cards", _shown)


def sweep_below(top: str, shown: Callable[[Sequence[str]], set[str]]) -> int:
    """Do so for stored files below ``top``; ``shown`` says which of some keys a row points at."""
    before = clock.now() - ORPHAN_AFTER
    old = (key for key in storage.keys(top) if _is_older(key, before))
    swept = 0
    while keys := list(islice(old, _AT_ONCE)):
        orphans = set(keys) - shown(keys)
        for key in orphans:
            storage.delete(key)
        swept += len(orphans)
    logger.info("Stored files swept", extra={"top": top, "swept": swept})
    return swept


def _shown(keys: Sequence[str]) -> set[str]:
    files = CardFile.objects.filter(storage_key__in=keys, removed_at=None)
    return set(files.values_list("storage_key", flat=True))


def _is_older(key: str, before: datetime) -> bool:
    """Tell by the time in the key's own id. What does not end in such an id is not ours to delete."""
    made = ids.parse_id(key.rpartition("/")[2])
    if made.version != 7:
        return False
    return datetime.fromtimestamp((made.int >> 80) / 1000, UTC) < before
