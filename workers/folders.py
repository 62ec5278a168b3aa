"""The jobs of work folders: do one step of a file."""

from __future__ import annotations

from bakedbrie.celery import app
from bakedbrie.lib import ids, log_context
from bakedbrie.lib.jobs import Job
from reviews.calls import folder_steps
from workers.base import RowTask


@app.task(name=Job.FOLDER_STEP.value, base=RowTask)
def run_step(step_id: str) -> None:
    log_context.bind(step=step_id)
    folder_steps.run_step(ids.parse_id(step_id))
