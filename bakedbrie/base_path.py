"""The path that the whole site lies below where APP_URL has one, such as /brie in https://example.com/brie."""

from __future__ import annotations

import re
from collections.abc import Iterator, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.urls import URLPattern, URLResolver, get_resolver

SERVED_BESIDE_DJANGO = ("mcp", "events", "static")

Scope = MutableMapping[str, Any]


def below(base: str, scope: Scope) -> Scope:
    """Take ``base`` off the address of a request. Some proxies leave it on, and some take it off themselves.

    Of addresses under /.well-known/ it is taken off the end, where RFC 8414 and RFC 9728 put it.
    """
    path = scope["path"]
    if base and (known := re.fullmatch(rf"(/\.well-known/[a-z-]+){re.escape(base)}(/mcp)?", path)):
        return {**scope, "path": known[1] + (known[2] or "")}
    if not base or not (path == base or path.startswith(f"{base}/")):
        return scope
    return {**scope, "path": path[len(base) :] or "/"}


def check_base_path() -> list[CheckMessage]:
    """A proxy may take the path off or leave it on: below one of our own addresses nobody could tell which it did."""
    path = urlsplit(settings.APP_URL).path
    if not path or path.split("/")[1] not in _own_words():
        return []
    message = "The path in APP_URL must not begin with one of BakedBrie's own addresses."
    return [Error(message, hint="Example: https://example.com/brie", id="bakedbrie.E006")]


def _own_words() -> set[str]:
    return {*_first_words(get_resolver()), *SERVED_BESIDE_DJANGO}


def _first_words(resolver: URLResolver) -> Iterator[str]:
    for pattern in resolver.url_patterns:
        route = str(pattern.pattern)
        if route or isinstance(pattern, URLPattern):
            yield route.split("/")[0]
        else:
            yield from _first_words(pattern)
