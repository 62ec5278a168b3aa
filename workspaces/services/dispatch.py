"""The emergency stop: nothing new starts while a workspace is paused; what runs may finish."""

from __future__ import annotations

import logging

from django.db import transaction

from bakedbrie.lib import clock
from bakedbrie.lib.jobs import Job, poke
from workspaces.access import require_writer
from workspaces.caller import Caller
from workspaces.models import Workspace
from workspaces.roles import Role
from workspaces.services.audit import record_audit

logger = logging.getLogger(__name__)


@transaction.atomic
def pause_dispatch(caller: Caller, *, reason: str = "") -> Workspace:
    """Pause; once more keeps the first reason."""
    require_writer(caller, Role.ADMIN)
    if _switch(caller, is_paused=True, reason=reason):
        record_audit(caller, "dispatch.paused", reason=reason)
        logger.info("Dispatch paused", extra={"workspace": caller.workspace.pk})
    return caller.workspace


@transaction.atomic
def resume_dispatch(caller: Caller) -> Workspace:
    """Resume, and wake the turns that waited."""
    require_writer(caller, Role.ADMIN)
    if _switch(caller, is_paused=False, reason=""):
        record_audit(caller, "dispatch.resumed")
        logger.info("Dispatch resumed", extra={"workspace": caller.workspace.pk})
    poke(Job.WAKE_TURNS, caller.workspace.pk)
    return caller.workspace


def _switch(caller: Caller, *, is_paused: bool, reason: str) -> bool:
    changed = Workspace.objects.filter(pk=caller.workspace.pk, dispatch_paused=not is_paused).update(
        dispatch_paused=is_paused, dispatch_reason=reason, updated_at=clock.now()
    )
    caller.workspace.refresh_from_db(fields=["dispatch_paused", "dispatch_reason"])
    return bool(changed)
