"""Secrets of the workspace: sealed at rest, opened only where they are used, destroyed for good."""

from __future__ import annotations

from bakedbrie.lib import clock, sealing
from workspaces.models import SealedSecret, Workspace
from workspaces.states import SecretPurpose


class SecretDestroyed(sealing.SealingError):
    """The secret was destroyed; nothing of it is left."""


def seal_secret(workspace: Workspace, *, purpose: SecretPurpose, value: str) -> SealedSecret:
    sealed = sealing.seal(value, context=_context(workspace.pk, purpose))
    return SealedSecret.objects.create(workspace=workspace, purpose=purpose, sealed=sealed)


def open_secret(secret: SealedSecret) -> sealing.Secret:
    """Open it for this workspace and purpose, or raise a `SealingError`."""
    if secret.sealed is None:
        raise SecretDestroyed("This secret was destroyed.")
    return sealing.unseal(secret.sealed, context=_context(secret.workspace_id, secret.purpose))


def seal_again(secret: SealedSecret, value: sealing.Secret) -> bytes:
    """Return ``value`` sealed as this row holds it, under the first key; the row stays as it is."""
    return sealing.seal(value, context=_context(secret.workspace_id, secret.purpose))


def destroy_secret(secret: SealedSecret) -> None:
    """Empty the row, which stays for the audit trail. Once more changes nothing."""
    now = clock.now()
    SealedSecret.objects.filter(pk=secret.pk, destroyed_at=None).update(sealed=None, destroyed_at=now, updated_at=now)
    secret.refresh_from_db(fields=["sealed", "destroyed_at"])


def _context(workspace_id: object, purpose: str) -> str:
    return f"{workspace_id}:{purpose}"
