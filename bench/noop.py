"""The task everything is compared with: it takes a message and counts."""

from __future__ import annotations

import os

import redis

from bakedbrie.celery import app

TASK = "bench.noop"
KEY = "bench:done"

_redis = redis.Redis.from_url(os.environ["REDIS_URL"])


@app.task(name=TASK)
def noop() -> None:
    _redis.rpush(KEY, 1)
