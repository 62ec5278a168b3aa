"""The clock: aware UTC instants, and their text."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """Return this instant in UTC. Ask once per function and pass it down."""
    return datetime.now(UTC)


def to_text(instant: datetime) -> str:
    """Return ISO 8601 in UTC with a Z, to the millisecond."""
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
