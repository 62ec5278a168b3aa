"""Workspaces: making one with its first owner, its name and its time zone."""

from __future__ import annotations

import logging

from django.db import transaction

from bakedbrie.lib.zones import UTC_NAME
from workspaces.access import require_person, require_writer
from workspaces.caller import Caller
from workspaces.models import Actor, Member, User, Workspace
from workspaces.roles import Role
from workspaces.services.audit import record_audit
from workspaces.states import ActorKind

logger = logging.getLogger(__name__)


@transaction.atomic
def create_workspace(*, name: str, owner: User, time_zone: str = UTC_NAME) -> Workspace:
    """Make a workspace with its default capabilities and one owner. Nobody is in it yet, so no caller is asked."""
    workspace = Workspace.objects.create(name=name, time_zone=time_zone)
    member = Member.objects.create(workspace=workspace, user=owner, role=Role.OWNER)
    actor = Actor.objects.create(workspace=workspace, kind=ActorKind.MEMBER, member=member, name=str(owner))
    caller = Caller(workspace=workspace, member=member, actor=actor)
    record_audit(caller, "workspace.created", name=name, owner=str(member.pk))
    logger.info("Workspace created", extra={"workspace": workspace.pk})
    return workspace


@transaction.atomic
def rename_workspace(caller: Caller, *, name: str) -> Workspace:
    require_person(caller)
    require_writer(caller, Role.ADMIN)
    workspace = caller.workspace
    before, workspace.name = workspace.name, name
    workspace.save(update_fields=["name", "updated_at"])
    record_audit(caller, "workspace.renamed", before=before, after=name)
    return workspace


@transaction.atomic
def change_time_zone(caller: Caller, *, time_zone: str) -> Workspace:
    """Have the pages of the workspace show times in another zone. Nothing that is stored or due changes."""
    require_person(caller)
    require_writer(caller, Role.ADMIN)
    workspace = caller.workspace
    before, workspace.time_zone = workspace.time_zone, time_zone
    workspace.save(update_fields=["time_zone", "updated_at"])
    record_audit(caller, "workspace.time_zone_changed", before=before, after=time_zone)
    return workspace
