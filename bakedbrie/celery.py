"""The Celery application: queues, late acknowledgement, and a broker that may forget everything."""

from __future__ import annotations

import os

from celery import Celery

from bakedbrie import process_life  # noqa: F401 it connects to the signals of a worker and of beat

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bakedbrie.settings")

app = Celery("bakedbrie")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    imports=(
        *("workers.turns", "workers.deliveries", "workers.folders", "workers.reviews", "workers.sign_in"),
        *("workers.sweeps", "workers.retention", "workers.beat"),
    ),
    beat_scheduler="django_celery_beat.schedulers:DatabaseScheduler",
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=False,
    worker_prefetch_multiplier=1,
    worker_pool="threads",
    worker_hijack_root_logger=False,
    broker_connection_retry_on_startup=True,
    broker_transport_options={
        # kombu looks for messages of dead workers only every interval * throttle seconds: without these, ~100 s.
        "visibility_timeout": 3600,
        "unacked_restore_interval": 10,
        "unacked_restore_throttle": 1,
        # A poke while the broker is away must not hold a web request for six seconds: the sweep rings again.
        "max_retries": 0,
    },
    task_default_queue="default",
    task_routes={"turns.*": {"queue": "turns"}},
    enable_utc=True,
    timezone="UTC",
)
# Celery would open a new database connection for every job; `workers.base` closes those that are too old or broken.
app.conf.CELERY_DB_REUSE_MAX = 1_000_000_000
