"""Retention: what is only kept for a while is forgotten."""

from __future__ import annotations

import logging

import agents.services.retention
import connecting.services.retention
import destinations.services.retention
import reviews.services.retention
import workspaces.services.retention
from bakedbrie.celery import app
from bakedbrie.lib.jobs import Job
from boards.services.retention import sweep_orphans
from workers.base import RowTask

logger = logging.getLogger(__name__)


@app.task(name=Job.RETENTION.value, base=RowTask)
def forget_old_rows() -> None:
    counts = {
        **workspaces.services.retention.forget_old(),
        **agents.services.retention.forget_old(),
        **destinations.services.retention.forget_old(),
        **connecting.services.retention.forget_old(),
        **reviews.services.retention.forget_old(),
    }
    sweep_orphans()
    reviews.services.retention.sweep_folder_bytes()
    reviews.services.retention.count_stored()
    logger.info("Old rows forgotten", extra=counts)
