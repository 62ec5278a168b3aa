"""Everything a benchmark runs on: the embedded services, a migrated database, a fake model and real workers."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import django
import redis
from django.core.management import call_command

from tests.support.fake_provider import FakeProvider
from tests.support.services import Services

ROOT = Path(__file__).resolve().parent.parent
THREADS = 10
QUEUES = ("turns", "default")
PATIENCE_S = 120.0


@contextmanager
def running_stack() -> Iterator[FakeProvider]:
    """Start it all with one worker, and end it all."""
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
            CALLS_PER_MINUTE="1000000",
            LOG_LEVEL="WARNING",
        )
        services.postgres.make_database("bench")
        django.setup()
        call_command("migrate", verbosity=0)
        ending.enter_context(another_worker("first"))
        yield provider


@contextmanager
def another_worker(name: str) -> Iterator[None]:
    """Start one more worker process, and return once it answers."""
    command = [sys.executable, "-m", "celery", "-A", "bakedbrie", "worker", "--include", "bench.noop"]
    options = [
        "--pool",
        "threads",
        "--concurrency",
        str(THREADS),
        "--queues",
        ",".join(QUEUES),
        "--hostname",
        f"{name}@bench",
    ]
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "ERROR"]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [*command, *options, *quiet], cwd=ROOT, stdout=log, stderr=log, stdin=subprocess.DEVNULL
        )
        try:
            until(lambda: process.poll() is not None or name in _listening(), every_s=0.2)
            if process.returncode is not None:
                log.seek(0)
                raise RuntimeError(f"The worker ended: {log.read().decode(errors='replace')[-2000:]}")
            yield
        finally:
            process.kill()
            process.wait()


@contextmanager
def served_web() -> Iterator[int]:
    """One web process, as the supervisor starts it, with the bare view beside the site; gives its port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        command = [sys.executable, "-W", "ignore", "-m", "bakedbrie.embedded.serve_web", str(listener.fileno())]
        environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "bench.settings"}
        process = subprocess.Popen(command, pass_fds=[listener.fileno()], env=environment, stdin=subprocess.DEVNULL)
        try:
            yield listener.getsockname()[1]
        finally:
            process.terminate()
            process.wait()


def bare_s(statements: list[str]) -> float:
    """Run statements with nothing around them, and say how long that took."""
    from django.db import connection  # noqa: PLC0415

    began = time.perf_counter()
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
            cursor.fetchall()
    return time.perf_counter() - began


def let_wait() -> None:
    """Let the workers take no message any more: what is rung for waits."""
    for queue in QUEUES:
        _control().cancel_consumer(queue, reply=True)


def let_go_on() -> None:
    for queue in QUEUES:
        _control().add_consumer(queue)


def broker() -> redis.Redis:
    return redis.Redis.from_url(os.environ["REDIS_URL"])


def until(condition: Callable[[], bool], every_s: float = 0.001) -> None:
    """Look again and again, often enough for milliseconds unless told otherwise."""
    pause = threading.Event()
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"Not after {PATIENCE_S:.0f} s.")
        pause.wait(every_s)


def _listening() -> set[str]:
    return {name.partition("@")[0] for answer in _control().ping(timeout=0.5) or () for name in answer}


def _control() -> Any:
    # Imported here: it needs the settings, and those the addresses of what was just started.
    from bakedbrie.celery import app  # noqa: PLC0415

    return app.control
