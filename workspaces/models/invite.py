"""An invitation into a workspace, by a link that works once."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from bakedbrie.lib.models import Dated
from workspaces.models.member import Member
from workspaces.models.workspace import Workspace
from workspaces.roles import Role


class Invite(Dated):
    """For one e-mail address, with one role. ``digest`` is the sha256 of what the link holds.

    It counts for as long as whoever made it could make it again: their removal takes it back.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="invites")
    email = models.EmailField()
    role = models.CharField(max_length=10, choices=[(role.value, role.value) for role in Role], default=Role.MEMBER)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    invited_by = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="+")
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(Member, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(role__in=list(Role)), name="invite_role_known"),
            models.CheckConstraint(condition=Q(email=Lower("email")), name="invite_email_lower_case"),
            models.CheckConstraint(
                condition=Q(accepted_at__isnull=True) | Q(revoked_at__isnull=True), name="invite_accepted_or_revoked"
            ),
            models.UniqueConstraint(
                fields=["workspace", "email"],
                condition=Q(accepted_at__isnull=True, revoked_at__isnull=True),
                name="one_open_invite_per_address",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.email} ({self.role})"
