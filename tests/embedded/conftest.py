"""A supervisor in a process of its own, and what can be asked of its Postgres and Valkey."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
import redis

from bakedbrie.embedded import postgres, valkey
from bakedbrie.embedded.data_folder import CODE, DataFolder

GONE_WITHIN_MS = 20_000


class Install:
    """One data folder and the supervisor that a test started on it."""

    def __init__(self, path: Path) -> None:
        self.folder = DataFolder(path)
        self.supervisor: subprocess.Popen[str] | None = None
        self.postgres_pid = self.valkey_pid = 0

    def environment(self) -> dict[str, str]:
        return {**os.environ, "BAKEDBRIE_DATA": str(self.folder.path)}

    def start(self, **more: str) -> None:
        self.supervisor = subprocess.Popen(
            [sys.executable, "-m", "tests.embedded.keep_stores"],
            cwd=CODE,
            env={**self.environment(), **more},
            stdout=subprocess.PIPE,
            text=True,
        )
        _, postgres_pid, valkey_pid = self.read_until("ready").split()
        self.postgres_pid, self.valkey_pid = int(postgres_pid), int(valkey_pid)

    def read_until(self, wanted: str) -> str:
        """Return the first line that holds ``wanted``; the end of the output is a failure."""
        assert self.supervisor is not None
        assert self.supervisor.stdout is not None
        for line in self.supervisor.stdout:
            if wanted in line:
                return line
        raise AssertionError(f"The supervisor ended without saying {wanted!r}")

    def run(self, command: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run ``python -m bakedbrie.embedded`` beside the supervisor."""
        program = [sys.executable, "-m", "bakedbrie.embedded", command]
        return subprocess.run(
            program,
            cwd=CODE,
            env={**self.environment(), **more},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def stop(self) -> None:
        if self.supervisor and self.supervisor.stdout:
            self.supervisor.send_signal(signal.SIGTERM)
            self.supervisor.wait(60)
            self.supervisor.stdout.close()

    def sql(self, statement: LiteralString) -> list[tuple[object, ...]]:
        host = str(postgres.socket_folder_of(self.folder.postgres))
        with psycopg.connect(host=host, user=postgres.OWNER, dbname=postgres.OWNER) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def valkey(self) -> redis.Redis:
        return redis.Redis.from_url(valkey.url(self.folder.valkey))


def wait_until_gone(pid: int) -> None:
    """Return when no such process runs any more."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        assert poll.poll(GONE_WITHIN_MS), f"process {pid} still runs"
    finally:
        os.close(descriptor)


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that Postgres' own account may enter, which pytest's are not."""
    path = Path(tempfile.mkdtemp(prefix="bakedbrie-install-"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def deep_place(place: Path) -> Iterator[Path]:
    """A folder whose sockets must lie elsewhere."""
    path = place / ("a-long-name-" * 12)
    yield path
    shutil.rmtree(postgres.socket_folder_of(DataFolder(path).postgres))
    shutil.rmtree(valkey.socket_folder_of(DataFolder(path).valkey))


@pytest.fixture
def install(place: Path) -> Iterator[Install]:
    install = Install(place)
    yield install
    install.stop()
