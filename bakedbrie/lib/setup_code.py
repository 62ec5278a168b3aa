"""The code that proves that whoever makes the first account of an instance can read what runs there."""

from __future__ import annotations

import base64
import hashlib
import hmac

PATH = "/setup/"
_CHARACTERS = 26  # of base32: 130 bits


def setup_code(secret_key: str) -> str:
    """Return the code of the instance with this key. It is kept nowhere, and opens nothing once somebody is there."""
    digest = hmac.digest(secret_key.encode(), b"bakedbrie.first-run", hashlib.sha256)
    return base64.b32encode(digest).decode().lower()[:_CHARACTERS]


def setup_path(secret_key: str) -> str:
    return f"{PATH}{setup_code(secret_key)}/"
