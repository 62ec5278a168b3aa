"""How much a workspace has stored with us, and how much it may."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from bakedbrie.lib.models import Dated
from workspaces.models.workspace import Workspace


class StorageUse(Dated):
    """``bytes`` counts files of cards and of hosted work folders, in the transaction that keeps or drops them.

    ``quota_bytes`` is this workspace's own; null is the operator's setting. Apart from the workspace, so that an
    upload never waits for whoever holds that row.
    """

    workspace = models.OneToOneField(Workspace, on_delete=models.CASCADE, related_name="storage_use")
    bytes = models.BigIntegerField(default=0)
    quota_bytes = models.BigIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(bytes__gte=0), name="storage_use_not_negative"),
            models.CheckConstraint(condition=Q(quota_bytes__gte=0), name="storage_quota_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.bytes} bytes"
