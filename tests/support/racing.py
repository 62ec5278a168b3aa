"""Races: several callers let go together, each with a connection of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from django.db import connection

ResultT = TypeVar("ResultT")

PATIENCE_S = 30


def at_once(jobs: Sequence[Callable[[], ResultT]]) -> list[ResultT | BaseException]:
    """Run every job in its own thread; return what each answered or raised, in their order.

    The test needs ``django_db(transaction=True)``: other connections see only what is committed.
    """
    barrier = Barrier(len(jobs))

    def run(job: Callable[[], ResultT]) -> ResultT:
        try:
            barrier.wait(timeout=PATIENCE_S)
            return job()
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=len(jobs)) as pool:
        futures = [pool.submit(run, job) for job in jobs]
    return [future.exception() or future.result() for future in futures]
