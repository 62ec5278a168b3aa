"""The sweep: finds what a lost message or a dead worker left behind."""

from __future__ import annotations

from collections.abc import Callable
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
    each(sweep_turns, sweep_deliveries, sweep_folders)
    presence.note(Sign.SWEEP)


def each(*parts: Callable[[], object]) -> None:
    """Run every part whatever becomes of the others; a mistake in one is raised once all have run."""
    with ExitStack() as stack:
        for part in reversed(parts):  # the last one in runs first
            stack.callback(part)
