"""Signs of life: who of the other processes was at work lately, kept in Valkey and measured by its clock alone."""

from __future__ import annotations

import logging
from enum import StrEnum
from functools import lru_cache

import redis
from django.conf import settings

logger = logging.getLogger(__name__)

KEPT_MS = 24 * 60 * 60 * 1000


class Sign(StrEnum):
    """What is noted, by whom."""

    BEAT = "beat"  # beat sent a tick
    WORKER = "worker"  # a worker's process lives
    SWEEP = "sweep"  # a worker did the job that beat rings for every few seconds


def note(sign: Sign) -> None:
    """Say that this happened now."""
    try:
        _client(settings.REDIS_URL).set(_key(sign), "", px=KEPT_MS)
    except redis.RedisError:
        logger.warning("A sign of life was not noted", extra={"sign": sign.value})


def ages_s() -> dict[Sign, float | None]:
    """Return how many seconds ago each was noted; None: not within a day. Raises `redis.RedisError`."""
    with _client(settings.REDIS_URL).pipeline(transaction=False) as pipeline:
        for sign in Sign:
            pipeline.pttl(_key(sign))
        left: list[int] = pipeline.execute()
    return {
        sign: (KEPT_MS - left_ms) / 1000 if left_ms >= 0 else None for sign, left_ms in zip(Sign, left, strict=True)
    }


def _key(sign: Sign) -> str:
    return f"{settings.LIVE_PREFIX}seen:{sign.value}"


@lru_cache(maxsize=1)
def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2)
