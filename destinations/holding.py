"""What keeps a destination from being turned off: rows of apps above it, which say so on their model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Q

HOLDS = "holds_destination"


@dataclass(frozen=True, kw_only=True)
class Holding:
    """What a model says under `HOLDS`: which of its rows need the destination, the path to their board, and what they
    are called, before the name of that board.

    ``at_another_place`` is what its rows begin again with when the destination leads elsewhere; None: they cannot, and
    keep it where it is.
    """

    rows: Q
    board: str
    named: str
    at_another_place: Mapping[str, object] | None = None
