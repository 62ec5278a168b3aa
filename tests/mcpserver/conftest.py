"""The whole site on a loopback socket, as one web process serves it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bakedbrie.asgi import Site
from tests.support.mcp import served


@pytest.fixture
def site(transactional_db: None) -> Site:
    return Site()


@pytest.fixture
def address(site: Site) -> Iterator[str]:
    with served(site) as address:
        yield address
