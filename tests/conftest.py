"""Fixtures for every test: jobs that run in this process, and queues that start empty."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from hypothesis import settings

from tests.support import jobs

# The same examples every time, so that a green run stays green; HYPOTHESIS_PROFILE=explore looks for new ones.
settings.register_profile("suite", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))

pytest_plugins = ["tests.support.buckets", "tests.support.canary", "tests.support.cast"]


@pytest.fixture
def drain_jobs() -> Callable[..., jobs.Ran]:
    """Return the function that runs everything that was rung for."""
    return jobs.drain_jobs


@pytest.fixture(autouse=True)
def empty_queues() -> Iterator[None]:
    yield
    jobs.purge_jobs()
