"""Room in our storage: taken and given back with the files, bounded by the quota of the workspace."""

from __future__ import annotations

import logging
import uuid
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.db.models import F, Value
from django.db.models.functions import Coalesce, Greatest, Now

from workspaces.access import require_writer
from workspaces.caller import Caller
from workspaces.models import StorageUse
from workspaces.refusals import STORAGE_QUOTA_EXCEEDED
from workspaces.roles import Role
from workspaces.services.audit import record_audit

logger = logging.getLogger(__name__)


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


@transaction.atomic
def set_quota(caller: Caller, *, quota_bytes: int | None) -> StorageUse:
    """Let a workspace have this much room, or with None as much as the instance gives to every one.

    Only the admin leads here, for operators: those who use the room do not say how much there is.
    """
    require_writer(caller, Role.ADMIN)
    StorageUse.objects.get_or_create(workspace=caller.workspace)
    use = StorageUse.objects.select_for_update(no_key=True).get(workspace=caller.workspace)
    if use.quota_bytes == quota_bytes:
        return use
    before, use.quota_bytes = use.quota_bytes, quota_bytes
    use.save(update_fields=["quota_bytes", "updated_at"])
    record_audit(caller, "workspace.quota_changed", before=before, after=quota_bytes)
    logger.info("Storage quota changed", extra={"workspace": caller.workspace.pk, "quota_bytes": quota_bytes})
    return use


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
