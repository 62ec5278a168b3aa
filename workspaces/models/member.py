"""Who belongs to a workspace, and with which role."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from bakedbrie.lib.models import Dated
from workspaces.models.workspace import Workspace
from workspaces.roles import Role


class Member(Dated):
    """A removed member stays as a row: history names them. What they could open before they returned is not theirs.

    ``skipped_steps`` names, between spaces, the first steps that they do not want to be shown.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships")
    role = models.CharField(max_length=10, choices=[(role.value, role.value) for role in Role])
    removed_at = models.DateTimeField(null=True, blank=True)
    returned_at = models.DateTimeField(null=True, blank=True, editable=False)
    skipped_steps = models.CharField(max_length=40, blank=True, default="", db_default="", editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "user"], name="member_once_per_workspace"),
            models.CheckConstraint(condition=models.Q(role__in=list(Role)), name="member_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} ({self.role})"
