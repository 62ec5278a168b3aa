"""What every job shares: its id in the log lines, fresh database connections, and no retry by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from celery import Task
from django.db import connections

from bakedbrie import metrics
from bakedbrie.lib import log_context

if TYPE_CHECKING:
    AnyTask = Task[Any, Any]
else:
    AnyTask = Task


class RowTask(AnyTask):
    """The base of all tasks: pass the ids down, one call, nothing else.

    A connection that the database dropped, or that is too old, is closed before the work, so that the work opens a
    new one. Nothing retries here: a row that nobody answered is found by the sweep.
    """

    abstract = True
    max_retries = 0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        _close_stale_connections()
        with log_context.fresh(job=self.name, job_id=self.request.id), metrics.counted_job(self.name):
            try:
                return self.run(*args, **kwargs)
            finally:
                _close_stale_connections()


def _close_stale_connections() -> None:
    """A connection with a transaction open belongs to whoever called the task in their own process."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()
