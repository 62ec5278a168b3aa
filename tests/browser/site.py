"""The site as people meet it: a web process and a worker on the database of the tests, and a fake AI provider."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.test import override_settings

from tests.acceptance.worker import ROOT, Broker, Worker
from tests.support.fake_provider import FakeProvider
from tests.support.web_process import web_process


@dataclass(frozen=True, kw_only=True)
class Site:
    """Its address, and the provider that its agents ask."""

    address: str
    provider: FakeProvider


@contextmanager
def running_site(folder: Path) -> Iterator[Site]:
    """Serve it as an operator does: with the product's own settings, and static files as they are shipped."""
    broker = Broker(1 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")))
    os.environ["BAKEDBRIE_DATA"] = str(folder / "data")  # of this process and of those below
    with FakeProvider() as provider, override_settings(**_settings(folder / "data", provider)):
        shared = {"OUTBOUND_LOOPBACK": provider.pair, "LIVE_PREFIX": settings.LIVE_PREFIX, "LOG_LEVEL": "WARNING"}
        shared["ALLOWED_HOSTS"] = "localhost"  # passkeys belong to names
        _collect_static_files()
        worker = Worker(broker, provider.pair, folder / "worker.log")
        worker.start()
        try:
            with web_process(folder, CELERY_BROKER_URL=broker.url, **shared) as web:
                yield Site(address=web.address, provider=provider)
        finally:
            worker.kill()
            broker.close()


def _settings(data: Path, provider: FakeProvider) -> dict[str, Any]:
    storages: dict[str, Any] = {**settings.STORAGES}
    storages["default"] = {**storages["default"], "OPTIONS": {"location": data / "files"}}
    return {"OUTBOUND_LOOPBACK": [provider.pair], "STORAGES": storages}


def _collect_static_files() -> None:
    command = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"]
    own = {
        "DJANGO_SETTINGS_MODULE": "bakedbrie.settings",
        "SECRET_KEY": settings.SECRET_KEY,
        "SEALING_KEYS": settings.SEALING_KEYS,
    }
    subprocess.run(command, cwd=ROOT, env={**os.environ, **own}, check=True)
