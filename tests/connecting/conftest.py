"""The whole site on a loopback socket, under the address that it knows as its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from bakedbrie.asgi import Site
from bakedbrie.lib import ids
from bakedbrie.lib.outbound.client import _client_for
from tests.support.fake_service import FakeService
from tests.support.mcp import served


@pytest.fixture(scope="module")
def running(django_db_setup: None) -> Iterator[str]:
    with served(Site()) as address:
        yield address


@pytest.fixture(autouse=True)
def nothing_counted_yet(settings: Settings) -> None:
    settings.LIVE_PREFIX = f"{settings.LIVE_PREFIX}{ids.new_id()}:"


@pytest.fixture
def publisher(settings: Settings, tmp_path: Path) -> Iterator[FakeService]:
    """A host that publishes descriptions, over https."""
    with FakeService("127.0.0.1", folder=tmp_path) as service:
        settings.OUTBOUND_LOOPBACK = [service.pair]
        settings.OUTBOUND_CA_FILE = service.ca_file
        try:
            yield service
        finally:
            _client_for(True, service.ca_file).close()


@pytest.fixture
def address(running: str, transactional_db: None, settings: Settings) -> str:
    settings.APP_URL = running
    return running
