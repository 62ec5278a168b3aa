"""The whole site on a loopback socket, as one web process serves it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bakedbrie.asgi import Site
from tests.support.mcp import served


@pytest.fixture(scope="module")
def running(django_db_setup: None) -> Iterator[tuple[Site, str]]:
    """One server for all tests of a module: it keeps nothing between two requests but its connections."""
    site = Site()
    with served(site) as address:
        yield site, address


@pytest.fixture
def site(running: tuple[Site, str]) -> Site:
    return running[0]


@pytest.fixture
def address(running: tuple[Site, str], transactional_db: None) -> str:
    return running[1]
