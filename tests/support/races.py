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
        try:
            barrier.wait(DEADLINE_S)
            return job()
        except Refused as refused:
            return refused
        finally:
            connection.close()

    with ThreadPoolExecutor(len(jobs)) as pool:
        return [future.result(DEADLINE_S) for future in [pool.submit(run, job) for job in jobs]]


def codes(outcomes: list[object]) -> list[str]:
    """Return the code of each refusal and "done" for everything else, sorted: who won a race does not matter."""
    return sorted(outcome.code if isinstance(outcome, Refused) else "done" for outcome in outcomes)


def wait_until_somebody_waits() -> None:
    """Return when another session of this database waits for a lock."""
    deadline = monotonic() + DEADLINE_S
    tick = threading.Event()
    with connection.cursor() as cursor:
        while monotonic() < deadline:
            cursor.execute("SELECT pg_stat_clear_snapshot()")  # within a transaction the view would stand still
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            if cursor.fetchone() != (0,):
                return
            tick.wait(0.005)
    raise AssertionError("Nobody waited for a lock.")
