"""Every job that can be rung for has a task, every task has a job, and none of them tries again by itself."""

from __future__ import annotations

from typing import Any

import pytest
from django_celery_beat.models import PeriodicTask
from django_celery_beat.schedulers import DatabaseScheduler

from bakedbrie.celery import app
from bakedbrie.lib.jobs import Job
from workers.base import RowTask
from workers.beat import BEAT


def our_tasks() -> dict[str, Any]:
    app.loader.import_default_modules()
    return {name: task for name, task in app.tasks.items() if not name.startswith("celery.")}


def test_jobs_and_tasks_are_the_same_names() -> None:
    assert set(our_tasks()) == {job.value for job in Job}


@pytest.mark.parametrize("job", list(Job))
def test_a_task_is_bound_to_its_row_and_never_retries(job: Job) -> None:
    task = our_tasks()[job.value]

    assert isinstance(task, RowTask)
    assert task.max_retries == 0
    assert not getattr(task, "autoretry_for", ())
    assert task.acks_late is True


def test_every_tick_rings_for_a_job() -> None:
    assert {tick["task"] for tick in BEAT.values()} == {Job.SWEEP.value, Job.RETENTION.value}


@pytest.mark.django_db(transaction=True)
@pytest.mark.requirement("C020")
def test_beat_writes_the_ticks_into_its_tables_once() -> None:
    app.loader.import_default_modules()

    for _ in range(2):
        DatabaseScheduler(app=app).setup_schedule()

    ours = PeriodicTask.objects.filter(task__in=[job.value for job in Job])
    assert ours.get(name="sweep").interval.every == 15
    assert {(tick.name, tick.task, tick.expire_seconds) for tick in ours} == {
        ("sweep", "sweeps.run", 15),
        ("retention", "retention.run", 43200),
    }
