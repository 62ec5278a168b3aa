"""/healthz: whether this process can serve, and whether the workers keep up."""

from __future__ import annotations

import redis
from django.conf import settings
from django.db import Error, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from agents.selectors import oldest_queued_at
from bakedbrie.lib import clock


@require_safe
def health(request: HttpRequest) -> JsonResponse:
    """200 while database and Valkey answer. An old queued turn is told, not judged: that is the workers' matter."""
    age_s: int | None = None
    try:
        oldest = oldest_queued_at()
        age_s = int((clock.now() - oldest).total_seconds()) if oldest else 0
        database = True
    except Error:
        connection.close()
        database = False
    valkey = _valkey_answers()
    body = {"database": _word(database), "redis": _word(valkey), "oldest_queued_turn_s": age_s}
    return JsonResponse(body, status=200 if database and valkey else 503)


def _valkey_answers() -> bool:
    try:
        with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=2) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


def _word(is_well: bool) -> str:
    return "ok" if is_well else "no answer"
