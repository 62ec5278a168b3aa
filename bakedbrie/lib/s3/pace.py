"""How long an exchange with a bucket may take."""

from __future__ import annotations

LEAST_S = 20.0
BYTES_A_SECOND = 262_144


def timeout_s(size: int) -> float:
    """Return how long one exchange about an object of that many bytes may take."""
    return LEAST_S + size / BYTES_A_SECOND
