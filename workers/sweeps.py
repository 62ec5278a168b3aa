"""The sweep: finds what a lost message or a dead worker left behind."""

from __future__ import annotations

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
    sweep_turns()
    sweep_deliveries()
    sweep_folders()
    presence.note(Sign.SWEEP)
