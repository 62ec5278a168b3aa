"""A pytest plugin: one Postgres and one Valkey for the whole run, in a temporary folder, before Django's settings load.

The workers of pytest-xdist inherit the addresses through the environment.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from bakedbrie.embedded import valkey
from bakedbrie.embedded.postgres import OWNER, PORT, Postgres
from bakedbrie.embedded.system_user import unprivileged_user
from bakedbrie.embedded.valkey import Valkey

NOT_DURABLE = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "jit": "off",
    "shared_buffers": "128MB",
    "max_wal_size": "4GB",
    "checkpoint_timeout": "1h",
}


class Services:
    """The servers of one run and the folder they live in."""

    def __init__(self) -> None:
        user = unprivileged_user(may_create=False)
        self.folder = Path(tempfile.mkdtemp(prefix="bakedbrie-tests-"))
        self.folder.chmod(0o711 if user else 0o700)
        self.postgres = Postgres(
            self.folder / "postgres", self.folder / "postgres.log", user=user, settings=NOT_DURABLE
        )
        self.valkey = Valkey(self.folder / "valkey", self.folder / "valkey.log", keeps_data=False)

    def start(self) -> None:
        self.postgres.start()
        self.valkey.start()
        os.environ.update(
            BAKEDBRIE_DATA=str(self.folder / "data"),
            DATABASE_HOST=str(self.postgres.socket_folder),
            DATABASE_PORT=str(PORT),
            DATABASE_USER=OWNER,
            DATABASE_PASSWORD="",
            REDIS_URL=valkey.url(self.valkey.data),
            WORKER_BROKER_URL=valkey.broker_url(self.valkey.data),  # for worker processes that a test starts
        )

    def stop(self) -> None:
        self.valkey.stop()
        self.postgres.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, object, object]:
    """A wrapper, because pytest-django reads the settings in the same hook and must come after this."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        services = Services()
        early_config.add_cleanup(services.stop)
        services.start()
    return (yield)
