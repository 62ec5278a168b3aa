"""The audit trail: one entry for every change of a right."""

from __future__ import annotations

from workspaces.caller import Caller
from workspaces.models import AuditEntry


def record_audit(caller: Caller, verb: str, **data: str | int | bool | None) -> AuditEntry:
    """Write who did it and what changed, in the transaction of the change. ``data`` holds ids and names only."""
    return AuditEntry.objects.create(workspace=caller.workspace, actor=caller.actor, verb=verb, data=data)
