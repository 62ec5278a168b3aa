"""Members and their roles. A workspace always keeps an owner who can sign in."""

from __future__ import annotations

import logging
import uuid

from django.db import transaction

from bakedbrie.lib import clock
from bakedbrie.lib.refusals import NOT_FOUND
from workspaces.access import require_person, require_writer
from workspaces.caller import Caller
from workspaces.models import Actor, Member, Token, User, Workspace
from workspaces.refusals import ALREADY_MEMBER, FORBIDDEN, LAST_OWNER
from workspaces.roles import Role, is_at_least
from workspaces.services.audit import record_audit
from workspaces.states import ActorKind

logger = logging.getLogger(__name__)


@transaction.atomic
def add_member(caller: Caller, *, user: User, role: Role) -> Member:
    """Add a person, or bring back one who was removed; only owners make owners."""
    lock_and_check(caller)
    require_owner_for(caller, role)
    member = admit(caller.workspace, user=user, role=role)
    record_audit(caller, "member.added", member=str(member.pk), role=role.value)
    return member


def admit(workspace: Workspace, *, user: User, role: Role) -> Member:
    """Make the person a member, or again one; no rights are checked here, and the workspace is locked."""
    member = Member.objects.filter(workspace=workspace, user=user).first()
    if member is None:
        member = Member.objects.create(workspace=workspace, user=user, role=role)
        Actor.objects.create(workspace=workspace, kind=ActorKind.MEMBER, member=member, name=str(user))
    elif member.removed_at is None:
        raise ALREADY_MEMBER(member_id=str(member.pk))
    else:
        member.role, member.removed_at, member.returned_at = role, None, clock.now()
        member.save(update_fields=["role", "removed_at", "returned_at", "updated_at"])
    logger.info("Member added", extra={"member": member.pk, "role": role.value})
    return member


@transaction.atomic
def change_role(caller: Caller, *, member: Member, role: Role) -> Member:
    """Give a member another role. Owners alone make and unmake owners, and the last one stays."""
    lock_and_check(caller)
    member = _fresh(caller, member)
    before = Role(member.role)
    if before is role:
        return member
    require_owner_for(caller, before, role)
    if before is Role.OWNER:
        _require_another_owner(member)
    member.role = role
    member.save(update_fields=["role", "updated_at"])
    record_audit(caller, "member.role_changed", member=str(member.pk), before=before.value, after=role.value)
    logger.info("Role changed", extra={"member": member.pk, "role": role.value})
    return member


@transaction.atomic
def remove_member(caller: Caller, *, member: Member) -> Member:
    """Remove a member and revoke their tokens; anybody may remove themselves. The row stays: history names them."""
    is_leaving = member.pk == caller.member.pk
    lock_and_check(caller, Role.VIEWER if is_leaving else Role.ADMIN)
    member = _fresh(caller, member)
    role = Role(member.role)
    if role is Role.OWNER:
        require_owner_for(caller, role)
        _require_another_owner(member)
    now = clock.now()
    member.removed_at = now
    member.save(update_fields=["removed_at", "updated_at"])
    revoked = Token.objects.filter(member=member, revoked_at=None).update(revoked_at=now, updated_at=now)
    record_audit(caller, "member.removed", member=str(member.pk), role=role.value, tokens_revoked=revoked)
    logger.info("Member removed", extra={"member": member.pk})
    return member


def active_owners(workspace_id: uuid.UUID) -> int:
    """Count the owners who can sign in; ask with the workspace's row locked."""
    owners = Member.objects.filter(workspace=workspace_id, role=Role.OWNER, removed_at=None, user__is_active=True)
    return owners.count()


def lock_workspace(workspace_id: uuid.UUID) -> Workspace:
    """Make changes of members one after the other. Inserts that only refer to the workspace are not held up."""
    return Workspace.objects.select_for_update(no_key=True).get(pk=workspace_id)


def lock_and_check(caller: Caller, least: Role = Role.ADMIN) -> None:
    """Lock, then judge the caller by their role of now: it may have changed while this waited."""
    require_person(caller)
    lock_workspace(caller.workspace.pk)
    caller.member.refresh_from_db(fields=["role", "removed_at"])
    if caller.member.removed_at is not None:
        raise FORBIDDEN(needs=least.value)
    require_writer(caller, least)


def _fresh(caller: Caller, member: Member) -> Member:
    found = Member.objects.select_related("user").filter(
        pk=member.pk, workspace=caller.workspace, removed_at__isnull=True
    )
    fresh = found.first()
    if fresh is None:
        raise NOT_FOUND()
    return fresh


def require_owner_for(caller: Caller, *roles: Role) -> None:
    if Role.OWNER in roles and not is_at_least(caller.role, Role.OWNER):
        raise FORBIDDEN(needs=Role.OWNER.value)


def _require_another_owner(member: Member) -> None:
    """An owner whose account is switched off does not count, so removing that one is no loss."""
    others = active_owners(member.workspace_id) - (1 if member.user.is_active else 0)
    if others < 1:
        raise LAST_OWNER()
