"""drain_jobs runs what a worker would run, in the order it rang."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.db import transaction

from bakedbrie.celery import app
from tests.support.jobs import Ran


@pytest.fixture
def count_down() -> Iterator[str]:
    """A task that rings for itself until it reaches nought."""

    @app.task(name="turns.count_down", shared=False)
    def ring_again(left: int) -> None:
        if left:
            transaction.on_commit(lambda: app.signature("turns.count_down", args=(left - 1,)).apply_async())

    yield "turns.count_down"
    app.tasks.pop("turns.count_down")


def ring(name: str, left: int) -> None:
    transaction.on_commit(lambda: app.signature(name, args=(left,)).apply_async())


@pytest.mark.django_db
def test_jobs_that_ring_for_jobs_run_to_the_end(count_down: str, drain_jobs: Callable[..., Ran]) -> None:
    ring(count_down, 2)

    ran = drain_jobs()

    assert ran == [(count_down, (2,)), (count_down, (1,)), (count_down, (0,))]
    assert drain_jobs() == []


@pytest.mark.django_db
def test_jobs_of_a_rolled_back_change_do_not_run(count_down: str, drain_jobs: Callable[..., Ran]) -> None:
    with transaction.atomic():
        ring(count_down, 0)
        transaction.set_rollback(True)

    assert drain_jobs() == []


@pytest.mark.django_db
def test_jobs_that_ring_for_ever_are_stopped(count_down: str, drain_jobs: Callable[..., Ran]) -> None:
    ring(count_down, 100)

    with pytest.raises(AssertionError, match="More than 5 jobs"):
        drain_jobs(limit=5)


@pytest.mark.django_db(transaction=True)
def test_jobs_of_a_committed_change_run(count_down: str, drain_jobs: Callable[..., Ran]) -> None:
    with transaction.atomic():
        ring(count_down, 1)

    assert drain_jobs() == [(count_down, (1,)), (count_down, (0,))]
