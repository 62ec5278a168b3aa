"""Secrets of the workspace, sealed; and the drops they arrive through."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from bakedbrie.lib.models import Dated
from workspaces.models.member import Member
from workspaces.models.token import Token
from workspaces.models.workspace import Workspace
from workspaces.states import DropState, SecretPurpose

_PURPOSES = [(purpose.value, purpose.value) for purpose in SecretPurpose]


class SealedSecret(Dated):
    """``sealed`` is emptied when the secret is destroyed; the row stays for the audit trail."""

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="secrets")
    purpose = models.CharField(max_length=20, choices=_PURPOSES)
    sealed = models.BinaryField(null=True)
    destroyed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(sealed__isnull=True, destroyed_at__isnull=False)
                | Q(sealed__isnull=False, destroyed_at__isnull=True),
                name="secret_sealed_or_destroyed",
            )
        ]

    def __str__(self) -> str:
        return f"{self.purpose} secret"


class SecretDrop(Dated):
    """Single use, ten minutes, and only for the token that prepared it (W071 to W073).

    ``token`` is empty for a person in the web app; the drop is then theirs alone.
    """

    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="+")
    token = models.ForeignKey(Token, on_delete=models.CASCADE, null=True, related_name="drops")
    kind = models.CharField(max_length=40)
    purpose = models.CharField(max_length=20, choices=_PURPOSES)
    env_var = models.CharField(max_length=100)
    state = models.CharField(
        max_length=10, choices=[(state.value, state.value) for state in DropState], default=DropState.PREPARED
    )
    expires_at = models.DateTimeField()
    secret = models.OneToOneField(SealedSecret, on_delete=models.SET_NULL, null=True, related_name="drop")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state=DropState.PREPARED, secret__isnull=True) | ~Q(state=DropState.PREPARED),
                name="drop_prepared_is_empty",
            )
        ]
        indexes = [models.Index(fields=["expires_at"], name="drop_by_expiry")]

    def __str__(self) -> str:
        return f"{self.kind} drop ({self.state})"
