"""A real worker process that can be killed, the broker it listens to, and Postgres as the place where it is held."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import redis
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Model
from kombu import Connection

from bakedbrie.celery import app
from bakedbrie.lib.jobs import Job

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 60.0
_QUEUES = {Job.TURN_RUN: "turns", Job.TURN_FINISH: "turns", Job.WAKE_TURNS: "turns"}
_COMMAND = [
    *(sys.executable, "-m", "celery", "--quiet", "-A", "bakedbrie", "worker"),
    *("--pool", "threads", "--concurrency", "4", "--queues", "turns,default"),
    *("--without-gossip", "--without-mingle", "--loglevel", "INFO"),
]


def until(condition: Callable[[], bool], what: str) -> None:
    """Look again and again until ``condition`` holds."""
    pause = threading.Event()
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"Waited {PATIENCE_S:.0f} s for this: {what}")
        pause.wait(0.02)


class Broker:
    """The real broker, in a database of its own: what a test rings here, only its worker hears."""

    def __init__(self, number: int) -> None:
        self.url = os.environ["WORKER_BROKER_URL"].split("?")[0] + f"?virtual_host={number}"
        self._connection = Connection(self.url)
        self._redis = redis.Redis.from_url(os.environ["REDIS_URL"].split("?")[0] + f"?db={number}")

    def ring(self, job: Job, *ids: uuid.UUID) -> None:
        args = [str(one) for one in ids]
        queue = _QUEUES.get(job, "default")
        app.send_task(job.value, args=args, queue=queue, connection=self._connection, ignore_result=True)

    def flush(self) -> None:
        self._redis.flushdb()

    def waiting(self, queue: str = "turns") -> int:
        return int(self._redis.llen(queue))

    def close(self) -> None:
        self._connection.release()
        self._redis.close()


class Worker:
    """One Celery worker process at a time; starting it again after a kill is what an operator's supervisor does."""

    def __init__(self, broker: Broker, loopback: str, log: Path) -> None:
        self._env = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "bakedbrie.settings",
            "DATABASE_NAME": str(connection.settings_dict["NAME"]),
            "CELERY_BROKER_URL": broker.url,
            "OUTBOUND_LOOPBACK": loopback,
            "LIVE_PREFIX": settings.LIVE_PREFIX,
            "LOG_FORMAT": "json",
        }
        self._env.pop("PROMETHEUS_MULTIPROC_DIR", None)  # our own settings put it there; a worker's shall do so again
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it unless it runs."""
        if self._process is None or self._process.poll() is not None:
            with self._log.open("ab") as log:
                self._process = subprocess.Popen(
                    _COMMAND, cwd=ROOT, env=self._env, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
                )

    def kill(self) -> None:
        """SIGKILL: nothing is cleaned up."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait(PATIENCE_S)

    def ask_to_stop(self) -> None:
        """SIGTERM: what an operator's supervisor sends first."""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)

    def wait_for_end(self) -> int | None:
        return None if self._process is None else self._process.wait(PATIENCE_S)

    def log(self) -> str:
        return self._log.read_text(errors="replace")

    @contextmanager
    def beat(self) -> Iterator[None]:
        """Run beat beside it."""
        command = [sys.executable, "-m", "celery", "--quiet", "-A", "bakedbrie", "beat", "--pidfile", ""]
        with subprocess.Popen(command, cwd=ROOT, env=self._env, stdin=subprocess.DEVNULL) as process:
            try:
                yield
            finally:
                process.terminate()


@contextmanager
def holding(row: Model) -> Iterator[Callable[[], None]]:
    """Lock a row, and give a function that waits until another process waits for it.

    Whoever waits at the end is ended by the database: a killed worker's statement must not go on without it.
    """
    with transaction.atomic():
        type(row)._base_manager.select_for_update().get(pk=row.pk)
        yield lambda: until(lambda: bool(_waiting_for_us()), f"a process waits for {row!r}")
        with connection.cursor() as cursor:
            for pid in _waiting_for_us():
                cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
        until(lambda: not _waiting_for_us(), "nobody waits any more")


def _waiting_for_us() -> list[int]:
    with connection.cursor() as cursor:
        # Not pg_stat_activity: what that shows stays the same until our transaction ends.
        cursor.execute("SELECT pid FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))")
        return [row[0] for row in cursor.fetchall()]
