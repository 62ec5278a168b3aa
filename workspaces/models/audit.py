"""The audit trail: who changed a role, token, capability, account or limit."""

from __future__ import annotations

from django.db import models

from bakedbrie.lib.models import Dated
from workspaces.models.actor import Actor
from workspaces.models.workspace import Workspace


class AuditEntry(Dated):
    """``data`` holds ids and names, never a secret."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="audit_entries")
    actor = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    verb = models.CharField(max_length=60)
    data = models.JSONField(default=dict)

    class Meta:
        indexes = [models.Index(fields=["workspace", "-id"], name="audit_by_workspace")]
        verbose_name_plural = "audit entries"

    def __str__(self) -> str:
        return self.verb
