"""Every address that Django serves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver


def every_route() -> Iterator[tuple[str, URLPattern]]:
    """Yield each route, as `resolve` names it, with its pattern."""
    yield from _below(get_resolver().url_patterns, "")


def _below(patterns: list[Any], prefix: str) -> Iterator[tuple[str, URLPattern]]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from _below(pattern.url_patterns, f"{prefix}{pattern.pattern}")
        elif isinstance(pattern, URLPattern):
            yield f"{prefix}{pattern.pattern}", pattern
