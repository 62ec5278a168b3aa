"""Identifiers: uuid7 for rows (sorted by time, not guessable) and random text for what is shown once."""

from __future__ import annotations

import secrets
import uuid
from datetime import datetime

import uuid_utils


def new_id() -> uuid.UUID:
    """Return a uuid7, ordered by the time it was made."""
    return uuid.UUID(bytes=uuid_utils.uuid7().bytes)


def first_at(instant: datetime) -> uuid.UUID:
    """Return the smallest id that a row made at that millisecond, or later, can have."""
    return uuid.UUID(int=(int(instant.timestamp() * 1000) << 80) | (7 << 76))


def new_secret(prefix: str) -> str:
    """Return ``prefix`` and 43 random characters (256 bits), safe in a URL and in a shell."""
    return f"{prefix}{secrets.token_urlsafe(32)}"


NOBODY = uuid.UUID(int=0)


def parse_id(text: object) -> uuid.UUID:
    """Return the id that ``text`` spells, else one that no row has: a misspelt id is answered like an absent one."""
    if isinstance(text, uuid.UUID):
        return text
    if not isinstance(text, str) or len(text) != 36:
        return NOBODY
    try:
        parsed = uuid.UUID(text)
    except ValueError:
        return NOBODY
    return parsed if str(parsed) == text.lower() else NOBODY
