"""The clock: aware UTC instants, and their text for machines and for people."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo


def now() -> datetime:
    """Return this instant in UTC. Ask once per function and pass it down."""
    return datetime.now(UTC)


def to_text(instant: datetime) -> str:
    """Return ISO 8601 in UTC with a Z, to the millisecond."""
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def in_words(instant: datetime, zone: tzinfo) -> str:
    """Return an instant as people in ``zone`` read it, such as 3 May 2026, 14:05 CEST."""
    local = instant.astimezone(zone)
    name = local.strftime("%Z")
    name = f"UTC{name}" if name[:1] in {"+", "-"} else name  # most zones have a number for a name
    return f"{local.day} {local:%B %Y, %H:%M} {name}"
