"""The whole site on a loopback socket, under the address that it knows as its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django.fixtures import Settings

from bakedbrie.asgi import Site
from bakedbrie.lib import ids
from tests.support.mcp import served


@pytest.fixture(scope="module")
def running(django_db_setup: None) -> Iterator[str]:
    with served(Site()) as address:
        yield address


@pytest.fixture(autouse=True)
def nothing_counted_yet(settings: Settings) -> None:
    settings.LIVE_PREFIX = f"{settings.LIVE_PREFIX}{ids.new_id()}:"


@pytest.fixture
def address(running: str, transactional_db: None, settings: Settings) -> str:
    settings.APP_URL = running
    return running
