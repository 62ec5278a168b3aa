"""The system ticks. Importing this gives them to the app; beat writes them into its own tables when it starts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from celery.schedules import crontab

from bakedbrie.celery import app
from bakedbrie.lib.jobs import Job

SWEEP_EVERY = timedelta(seconds=15)

# A tick that no worker took before the next one is dropped: ticks never pile up behind a worker that was away.
BEAT: dict[str, dict[str, Any]] = {
    # rings again for forgotten turns, and names unclear ones unknown
    "sweep": {"task": Job.SWEEP.value, "schedule": SWEEP_EVERY, "options": {"expire_seconds": SWEEP_EVERY.seconds}},
    # once a day, at a quiet hour (UTC)
    "retention": {
        "task": Job.RETENTION.value,
        "schedule": crontab(hour="3", minute="17"),
        "options": {"expire_seconds": timedelta(hours=12).seconds},
    },
}

app.conf.beat_schedule = BEAT
