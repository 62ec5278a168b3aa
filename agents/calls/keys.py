"""The key of an account, opened for one request."""

from __future__ import annotations

from agents.providers import KINDS
from bakedbrie.lib.outbound.client import KeyAuth
from bakedbrie.lib.sealing import SealingError
from workspaces.models import SealedSecret
from workspaces.services.secrets import open_secret


class KeyUnusable(Exception):
    """The key cannot be opened, or is no text that fits in a header."""


def open_key(provider: str, secret: SealedSecret | None) -> KeyAuth:
    """Return the provider's header for the key, or raise `KeyUnusable`, whose text never holds any of it."""
    if secret is None:
        raise KeyUnusable
    wire = KINDS[provider]
    try:
        return KeyAuth(header=wire.key_header, prefix=wire.key_prefix, secret=open_secret(secret))
    except (SealingError, ValueError):
        raise KeyUnusable from None
