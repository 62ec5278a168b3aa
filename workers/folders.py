"""The jobs of work folders: do one step of a file, look into one Inbox/."""

from __future__ import annotations

from bakedbrie.celery import app
from bakedbrie.lib import ids, log_context
from bakedbrie.lib.jobs import Job
from reviews.calls import folder_steps, inbox
from workers.base import RowTask
from workflows.services.inbox import make_card


@app.task(name=Job.FOLDER_STEP.value, base=RowTask)
def run_step(step_id: str) -> None:
    log_context.bind(step=step_id)
    folder_steps.run_step(ids.parse_id(step_id), make_card)


@app.task(name=Job.FOLDER_LOOK.value, base=RowTask)
def look(folder_id: str) -> None:
    log_context.bind(folder=folder_id)
    inbox.look(ids.parse_id(folder_id))
