"""The top container: nothing in one workspace is reachable from another."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models

from bakedbrie.lib.models import Dated
from bakedbrie.lib.zones import LONGEST, UTC_NAME
from workspaces import capabilities


def _default_capabilities() -> list[str]:
    return list(capabilities.DEFAULTS)


class Workspace(Dated):
    """``capabilities`` holds what is switched on; what is effective also depends on their needs.
    ``time_zone`` is the IANA name of the zone in which its pages show times."""

    name = models.CharField(max_length=120)
    capabilities = ArrayField(models.CharField(max_length=30), default=_default_capabilities)
    time_zone = models.CharField(max_length=LONGEST, default=UTC_NAME, db_default=UTC_NAME)
    dispatch_paused = models.BooleanField(default=False)
    dispatch_reason = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(capabilities__contained_by=list(capabilities.TEXTS)),
                name="workspace_capabilities_known",
            )
        ]

    def __str__(self) -> str:
        return self.name
