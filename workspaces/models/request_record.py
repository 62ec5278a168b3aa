"""The replay table: one row per (caller, request_id), written before the work."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from bakedbrie.lib.models import Dated
from workspaces.models.workspace import Workspace
from workspaces.states import RecordState


class RequestRecord(Dated):
    """``subject`` is the token, or the member for the web. ``call_hash`` covers what was asked.

    ``answer`` is JSON text, not a JSON column: a repetition gets the same body, in the same order.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    subject = models.UUIDField()
    request_id = models.CharField(max_length=100)
    call_hash = models.CharField(max_length=64)
    state = models.CharField(
        max_length=12, choices=[(state.value, state.value) for state in RecordState], default=RecordState.IN_PROGRESS
    )
    status = models.PositiveSmallIntegerField(null=True)
    answer = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["subject", "request_id"], name="request_id_once_per_subject"),
            models.CheckConstraint(
                condition=~Q(state=RecordState.DONE) | Q(status__isnull=False), name="request_record_done_has_status"
            ),
        ]
        indexes = [models.Index(fields=["created_at"], name="request_record_age")]

    def __str__(self) -> str:
        return f"{self.request_id} ({self.state})"
