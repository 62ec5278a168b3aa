"""What no folder shows is not kept, nor steps that ended long ago; what every workspace has stored is counted anew."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import Sum
from django.db.models.functions import Now

from bakedbrie.lib import once
from bakedbrie.lib.states import CallState
from boards.models import CardFile
from boards.services.retention import sweep_below
from reviews.models import FolderFile, FolderStep
from reviews.rules import HOSTED_TOP
from reviews.states import FolderStorage
from workspaces.models import StorageUse

STEPS_FOR = timedelta(days=30)


def forget_old() -> dict[str, int]:
    """Delete steps that ended long ago, and count them: where a file is, its own row says."""
    over = FolderStep.objects.exclude(state__in=[CallState.QUEUED, *once.OUT])
    return {"folder_steps": over.filter(updated_at__lt=Now() - STEPS_FOR).delete()[0]}


def sweep_folder_bytes() -> int:
    """Delete stored files of hosted work folders that no row names any more, and say how many."""
    return sweep_below(HOSTED_TOP, _named)


def count_stored() -> int:
    """Correct the count of every workspace that has stored something, and say how many were wrong."""
    workspaces = set(CardFile.objects.values_list("card__board__workspace", flat=True).distinct())
    workspaces |= set(StorageUse.objects.values_list("workspace", flat=True))
    return sum(_count_one(workspace) for workspace in sorted(workspaces))


@transaction.atomic
def _count_one(workspace_id: uuid.UUID) -> bool:
    """Whoever takes room holds the row until its files are there to be counted."""
    StorageUse.objects.get_or_create(workspace_id=workspace_id)
    row = StorageUse.objects.select_for_update(no_key=True).get(workspace=workspace_id)
    of_cards = CardFile.objects.filter(card__board__workspace=workspace_id, removed_at__isnull=True)
    of_folders = FolderFile.objects.filter(folder__board__workspace=workspace_id, has_room=True)
    total = sum(rows.aggregate(total=Sum("bytes"))["total"] or 0 for rows in (of_cards, of_folders))
    if row.bytes == total:
        return False
    row.bytes = total
    row.save(update_fields=["bytes", "updated_at"])
    return True


def _named(keys: Sequence[str]) -> set[str]:
    files = FolderFile.objects.filter(storage=FolderStorage.HOSTED, key__in=keys)
    return set(files.values_list("key", flat=True))
