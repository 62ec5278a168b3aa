"""Races on the real database: threads that start together, and a look at who waits for whom."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic

from django.db import connection

from bakedbrie.lib.refusals import Refused

DEADLINE_S = 20


def at_once(*jobs: Callable[[], object]) -> list[object]:
    """Run the jobs in threads that leave one barrier together; return what each answered or was refused with."""
    barrier = threading.Barrier(len(jobs))

    def run(job: Callable[[], object]) -> object:
        barrier.wait(DEADLINE_S)
        return _run(job)

    with ThreadPoolExecutor(len(jobs)) as pool:
        return [future.result(DEADLINE_S) for future in [pool.submit(run, job) for job in jobs]]


def codes(outcomes: list[object]) -> list[str]:
    """Return the code of each refusal and "done" for everything else, sorted: who won a race does not matter."""
    return sorted(outcome.code if isinstance(outcome, Refused) else "done" for outcome in outcomes)


class Running:
    """A job in a thread of its own."""

    def __init__(self, job: Callable[[], object]) -> None:
        self._pool = ThreadPoolExecutor(1)
        self._future = self._pool.submit(_run, job)
        self._pool.shutdown(wait=False)

    def outcome(self) -> object:
        """Wait for the job's end; return what it answered or was refused with, or raise what it raised."""
        return self._future.result(DEADLINE_S)


def in_thread(job: Callable[[], object]) -> Running:
    """Start the job, and go on while it runs."""
    return Running(job)


def _run(job: Callable[[], object]) -> object:
    try:
        return job()
    except Refused as refused:
        return refused
    finally:
        connection.close()


def wait_until_waiting(sessions: int = 1) -> None:
    """Return when so many other sessions of this database wait for a lock."""
    deadline = monotonic() + DEADLINE_S
    tick = threading.Event()
    with connection.cursor() as cursor:
        while monotonic() < deadline:
            cursor.execute("SELECT pg_stat_clear_snapshot()")  # within a transaction the view would stand still
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            if cursor.fetchone()[0] >= sessions:
                return
            tick.wait(0.005)
    raise AssertionError(f"Fewer than {sessions} sessions waited for a lock.")
