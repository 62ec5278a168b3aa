"""Fixtures for every test: jobs that run in this process, and queues that start empty."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.support import jobs

pytest_plugins = ["tests.support.cast"]


@pytest.fixture
def drain_jobs() -> Callable[..., jobs.Ran]:
    """Return the function that runs everything that was rung for."""
    return jobs.drain_jobs


@pytest.fixture(autouse=True)
def empty_queues() -> Iterator[None]:
    yield
    jobs.purge_jobs()
