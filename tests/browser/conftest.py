"""One site and one Chromium for the whole run; a workspace of its own for every test, and a look at every console."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connections
from django.test.utils import setup_databases
from playwright.sync_api import Browser, expect, sync_playwright
from pytest_django.plugin import DjangoDbBlocker

from tests.browser.site import Site, running_site
from tests.browser.visits import PATIENCE_MS, Visits
from tests.factories.workflows import Line, make_line
from tests.factories.workspaces import make_workspace
from workspaces.caller import Caller

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
# Playwright keeps an event loop on the thread of the tests; Django then asks to be told that its queries may wait.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="session")
def database(
    django_test_environment: None, django_db_modify_db_settings: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """One database without a transaction around each test: other processes look into it. It goes with its server."""
    with django_db_blocker.unblock():
        setup_databases(verbosity=0, interactive=False)
        yield
        connections.close_all()


@pytest.fixture(scope="session")
def site(database: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def pictures() -> Path:
    """Where the screenshots go: never into the repository."""
    folder = Path(os.environ.get("SCREENSHOTS") or Path(tempfile.gettempdir()) / "bakedbrie-browser")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def opens(site: Site, chromium: Browser, pictures: Path, request: pytest.FixtureRequest) -> Iterator[Visits]:
    """Open browsers. The test fails when a console of theirs was told of an error."""
    visits = Visits(site=site, browser=chromium, pictures=pictures)
    yield visits
    visits.end(request.node.name)
    assert visits.trouble == []


@pytest.fixture
def alice(site: Site) -> Caller:
    """The owner of a new workspace."""
    return make_workspace(name="Alice's Bakery", owner="Alice Archer")


@pytest.fixture
def line(site: Site, alice: Caller) -> Line:
    """A board of hers on which an agent works on what enters Doing; her account at the fake provider pays."""
    return make_line(alice, site.provider)
