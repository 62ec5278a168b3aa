"""How many calls a token may make in a minute, counted in Valkey for all processes together."""

from __future__ import annotations

import logging
from functools import lru_cache
from typing import TYPE_CHECKING

import redis
from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from bakedbrie.lib import clock
from workspaces.caller import Caller

if TYPE_CHECKING:  # DRF reads its settings, and with them this module, while it loads its views
    from rest_framework.views import APIView

logger = logging.getLogger(__name__)

WINDOW_S = 60


class TokenThrottle(BaseThrottle):
    """A full window refuses until the next minute begins. Without Valkey nothing is counted and nothing refused."""

    def __init__(self) -> None:
        self._wait_s = 0.0

    def allow_request(self, request: Request, view: APIView) -> bool:
        caller: object = request.auth
        if not isinstance(caller, Caller):
            return True
        window, passed_s = divmod(clock.now().timestamp(), WINDOW_S)
        self._wait_s = WINDOW_S - passed_s
        try:
            count = _count(f"{settings.LIVE_PREFIX}calls:{caller.subject}:{int(window)}")
        except redis.RedisError:
            logger.warning("Calls are not counted")
            return True
        return count <= settings.CALLS_PER_MINUTE

    def wait(self) -> float:
        return self._wait_s


def _count(key: str) -> int:
    with _client(settings.REDIS_URL).pipeline(transaction=False) as pipeline:
        pipeline.incr(key)
        pipeline.expire(key, 2 * WINDOW_S)
        count: int = pipeline.execute()[0]
    return count


@lru_cache(maxsize=1)
def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=1, socket_connect_timeout=1)
