"""Lists as tools and REST show them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from rest_framework import serializers

RowT = TypeVar("RowT")


def show_rows(shape: serializers.Serializer[RowT], rows: Iterable[RowT]) -> list[dict[str, Any]]:
    """Return every row in this shape. One serializer serves them all: making one costs more than filling it."""
    return [shape.to_representation(row) for row in rows]
