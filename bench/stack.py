"""Everything a benchmark runs on: the embedded services, a migrated database, a fake model and one real worker."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import django
import redis
from django.core.management import call_command

from tests.support.fake_provider import FakeProvider
from tests.support.services import Services

ROOT = Path(__file__).resolve().parent.parent
THREADS = 8
PATIENCE_S = 120.0


@contextmanager
def running_stack() -> Iterator[FakeProvider]:
    """Start it all, and end it all."""
    with ExitStack() as ending:
        services = Services()
        ending.callback(services.stop)
        services.start()
        provider = ending.enter_context(FakeProvider())
        os.environ.update(
            DJANGO_SETTINGS_MODULE="bakedbrie.settings",
            SECRET_KEY="benchmarks only",
            SEALING_KEYS="bench:" + "YmVuY2htYXJrczogMzIgYnl0ZXMsIG5vIHNlY3JldCE=",
            DATABASE_NAME="bench",
            CELERY_BROKER_URL=os.environ["WORKER_BROKER_URL"],
            OUTBOUND_LOOPBACK=provider.pair,
            LOG_LEVEL="WARNING",
        )
        services.postgres.make_database("bench")
        django.setup()
        call_command("migrate", verbosity=0)
        ending.enter_context(_worker())
        yield provider


@contextmanager
def _worker() -> Iterator[None]:
    command = [sys.executable, "-m", "celery", "-A", "bakedbrie", "worker", "--include", "bench.noop"]
    options = ["--pool", "threads", "--concurrency", str(THREADS), "--queues", "turns,default", "--loglevel", "ERROR"]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen([*command, *options], cwd=ROOT, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            yield
        finally:
            process.kill()
            process.wait()


def broker() -> redis.Redis:
    return redis.Redis.from_url(os.environ["REDIS_URL"])


def until(condition: Callable[[], bool]) -> None:
    """Look again and again, often enough for milliseconds."""
    pause = threading.Event()
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"Not after {PATIENCE_S:.0f} s.")
        pause.wait(0.001)
