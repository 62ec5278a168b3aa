"""Retention: what is only kept for a while is forgotten."""

from __future__ import annotations

from bakedbrie.celery import app
from bakedbrie.lib.jobs import Job
from boards.services.retention import sweep_orphans
from workers.base import RowTask
from workflows.services import retention


@app.task(name=Job.RETENTION.value, base=RowTask)
def forget_old_rows() -> None:
    retention.forget_old_rows()
    sweep_orphans()
