"""People's accounts, across workspaces."""

from __future__ import annotations

import logging

from django.db import transaction

from workspaces.models import Actor, AuditEntry, Member, User
from workspaces.refusals import LAST_OWNER
from workspaces.roles import Role
from workspaces.services.actors import automation
from workspaces.services.members import active_owners, lock_workspace

logger = logging.getLogger(__name__)


@transaction.atomic
def rename_user(user: User, name: str) -> None:
    """Change the name, also where history and cards show it."""
    user.name = name
    user.save(update_fields=["name"])
    Actor.objects.filter(member__user=user).update(name=str(user))


def set_review_mail(user: User, *, is_wanted: bool) -> None:
    """Tell the person by mail of reviews that wait for them, or do not; in every workspace."""
    user.gets_review_mail = is_wanted
    user.save(update_fields=["gets_review_mail"])
    logger.info("Review mail switched", extra={"user": user.pk, "is_on": is_wanted})


@transaction.atomic
def set_operator(user: User, *, is_operator: bool) -> None:
    """Let somebody run the server: an operator sees every workspace in the admin."""
    user.is_staff = user.is_superuser = is_operator
    user.save(update_fields=["is_staff", "is_superuser"])
    logger.warning("Operator changed", extra={"user": user.pk, "is_operator": is_operator})


@transaction.atomic
def set_active(user: User, *, is_active: bool, operator: str = "") -> None:
    """Switch an account on or off; no workspace loses its last owner who can sign in.

    It stands on the audit trail of each workspace the person is a member of, as done by the ``operator``.
    """
    memberships = Member.objects.filter(user=user, removed_at=None).order_by("workspace_id")
    for workspace_id in memberships.values_list("workspace_id", flat=True):
        lock_workspace(workspace_id)
    owned = list(memberships.filter(role=Role.OWNER).values_list("workspace_id", flat=True))
    User.objects.filter(pk=user.pk).update(is_active=is_active)
    if any(active_owners(workspace_id) == 0 for workspace_id in owned):
        raise LAST_OWNER()
    user.is_active = is_active
    for member in memberships.select_related("workspace"):
        AuditEntry.objects.create(
            workspace=member.workspace,
            actor=automation(member.workspace, f"Operator {operator}".strip()[:120]),
            verb="member.switched",
            data={"member": str(member.pk), "is_on": is_active},
        )
    logger.info("Account switched", extra={"user": user.pk, "is_active": is_active})
