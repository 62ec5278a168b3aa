"""Room in our storage: taken and given back with the files, bounded by the quota of the workspace."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.db.models import F, Value
from django.db.models.functions import Coalesce, Greatest, Now

from workspaces.models import StorageUse
from workspaces.refusals import STORAGE_QUOTA_EXCEEDED


@dataclass(frozen=True, kw_only=True)
class Usage:
    bytes: int
    quota_bytes: int


def usage_of(workspace_id: uuid.UUID) -> Usage:
    """Return what the workspace has stored and what it may store."""
    row = StorageUse.objects.filter(workspace=workspace_id).first()
    if row is None:
        return Usage(bytes=0, quota_bytes=settings.STORAGE_QUOTA_BYTES)
    quota = settings.STORAGE_QUOTA_BYTES if row.quota_bytes is None else row.quota_bytes
    return Usage(bytes=row.bytes, quota_bytes=quota)


def require_room(workspace_id: uuid.UUID, count: int = 1) -> None:
    """Refuse what cannot be kept, before a byte of it is read; `take_room` decides."""
    usage = usage_of(workspace_id)
    if usage.bytes + count > usage.quota_bytes:
        raise _refused(usage)


@transaction.atomic
def take_room(workspace_id: uuid.UUID, count: int) -> None:
    """Count so many bytes more, or refuse with STORAGE_QUOTA_EXCEEDED: two callers never share the last of it."""
    quota = Coalesce(F("quota_bytes"), Value(settings.STORAGE_QUOTA_BYTES))
    rows = StorageUse.objects.filter(workspace=workspace_id)
    fits = rows.filter(bytes__lte=quota - count)
    if fits.update(bytes=F("bytes") + count, updated_at=Now()):
        return
    StorageUse.objects.get_or_create(workspace_id=workspace_id)
    if not fits.update(bytes=F("bytes") + count, updated_at=Now()):
        raise _refused(usage_of(workspace_id))


def give_room(workspace_id: uuid.UUID, count: int) -> None:
    """Count so many bytes less. Files from before anything was counted never make it negative."""
    left = Greatest(F("bytes") - count, Value(0))
    StorageUse.objects.filter(workspace=workspace_id).update(bytes=left, updated_at=Now())


def full_workspaces() -> list[str]:
    """Return the names of workspaces that have less than a hundredth of their room left."""
    quota = Coalesce(F("quota_bytes"), Value(settings.STORAGE_QUOTA_BYTES))
    full = StorageUse.objects.annotate(quota=quota).filter(bytes__gte=F("quota") - F("quota") / Value(100), bytes__gt=0)
    return list(full.order_by("workspace__name", "pk").values_list("workspace__name", flat=True))


def _refused(usage: Usage) -> Exception:
    return STORAGE_QUOTA_EXCEEDED(used_bytes=usage.bytes, quota_bytes=usage.quota_bytes)
