"""Counting in windows of time, in Valkey, for all processes together. Without Valkey nothing is counted."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import lru_cache

import redis
from django.conf import settings

from bakedbrie.lib import clock

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Tally:
    """``count`` is how often this happened in the window that ends in ``wait_s`` seconds, this time included."""

    key: str
    count: int
    wait_s: float


def add(name: str, *, window_s: int) -> Tally:
    """Count one more; a window begins at every multiple of ``window_s``."""
    window, passed_s = divmod(clock.now().timestamp(), window_s)
    key = f"{settings.LIVE_PREFIX}{name}:{int(window)}"
    try:
        with _client(settings.REDIS_URL).pipeline(transaction=False) as pipeline:
            pipeline.incr(key)
            pipeline.expire(key, 2 * window_s)
            count: int = pipeline.execute()[0]
    except redis.RedisError:
        logger.warning("Nothing is counted", extra={"what": name.partition(":")[0]})
        count = 0
    return Tally(key=key, count=count, wait_s=window_s - passed_s)


def take_back(tally: Tally) -> None:
    """Count one less: it turned out to be nothing to count."""
    if not tally.count:
        return
    try:
        _client(settings.REDIS_URL).decr(tally.key)
    except redis.RedisError:
        logger.warning("A count was not taken back")


@lru_cache(maxsize=1)
def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=1, socket_connect_timeout=1)
