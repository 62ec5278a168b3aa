"""The sweep: finds what a lost message or a dead worker left behind."""

from __future__ import annotations

from contextlib import ExitStack

from agents.services.sweep import sweep_turns
from bakedbrie.celery import app
from bakedbrie.lib import presence
from bakedbrie.lib.jobs import Job
from bakedbrie.lib.presence import Sign
from destinations.services.sweep import sweep_deliveries
from reviews.services.sweep import sweep_folders
from workers.base import RowTask


@app.task(name=Job.SWEEP.value, base=RowTask)
def run_sweep() -> None:
    """Each part runs whatever becomes of the others; a mistake in one still fails the job, and is not noted as done."""
    with ExitStack() as parts:  # the last one in runs first
        parts.callback(sweep_folders)
        parts.callback(sweep_deliveries)
        parts.callback(sweep_turns)
    presence.note(Sign.SWEEP)
