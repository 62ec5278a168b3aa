"""How allauth keeps second factors here: sealed, and under the name of this instance."""

from __future__ import annotations

import base64
from typing import Any

from allauth.mfa.adapter import DefaultMFAAdapter

from bakedbrie.lib import sealing

CONTEXT = "second-factor"
_SEALED = ("secret", "seed")  # of an app, and of recovery codes


class SealedFactors(DefaultMFAAdapter):  # type: ignore[misc]  # it promises no types
    """What a person's app and recovery codes follow from is sealed like every other secret."""

    def encrypt(self, text: str) -> str:
        return base64.b64encode(sealing.seal(text, context=CONTEXT)).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return sealing.unseal(base64.b64decode(encrypted_text), context=CONTEXT).reveal()

    def _get_site_name(self) -> str:
        return "BakedBrie"


def sealed_in(data: dict[str, Any]) -> bytes:
    """Return the sealed part of what a row holds."""
    return base64.b64decode(next(data[name] for name in _SEALED if name in data))


def resealed(data: dict[str, Any]) -> dict[str, Any]:
    """Return what a row holds, sealed under the first key."""
    factors = SealedFactors()
    return {name: factors.encrypt(factors.decrypt(part)) if name in _SEALED else part for name, part in data.items()}
