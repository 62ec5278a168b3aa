"""Every job puts its id into the log lines, and works on a connection that is good."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.db import connection, transaction

from bakedbrie.celery import app
from bakedbrie.lib import log_context
from tests.support.jobs import Ran
from workers.base import RowTask


@pytest.fixture
def seen() -> Iterator[list[dict[str, str]]]:
    """What a job of this test saw as the id of its log lines."""
    ids: list[dict[str, str]] = []

    @app.task(name="tests.look", base=RowTask)
    def look() -> None:
        ids.append(dict(log_context.current()))
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")

    yield ids
    app.tasks.pop("tests.look")


@pytest.mark.django_db
def test_a_job_has_its_id_in_the_log_lines_while_it_runs(
    seen: list[dict[str, str]], drain_jobs: Callable[..., Ran]
) -> None:
    transaction.on_commit(lambda: app.signature("tests.look").apply_async(task_id="abc"))

    drain_jobs()

    assert seen == [{"job": "tests.look", "job_id": "abc"}]
    assert log_context.current() == {}


@pytest.mark.django_db(transaction=True)
def test_a_job_whose_connection_the_database_dropped_works_on_a_new_one(
    seen: list[dict[str, str]],
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (dropped,) = cursor.fetchone()
    connection.connection.close()

    app.tasks["tests.look"].apply(throw=True)

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        assert cursor.fetchone() != (dropped,)
    assert len(seen) == 1
