"""What a machine asks every few seconds: whether this process lives, can serve, and whether the work gets done.

A stranger learns which part is wrong and since when, never a version, a host or an error's text.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import redis
from django.conf import settings
from django.db import Error, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, JsonResponse

from bakedbrie import broker
from bakedbrie.api.work_health import work_health

OK = "ok"
NO_ANSWER = "no answer"
NOT_MIGRATED = "migrations are missing"
ANSWER_WITHIN_S = 2


def live(request: HttpRequest) -> JsonResponse:
    """200 as soon as this process answers at all; a supervisor that gets none restarts it."""
    return _answer({}, is_well=True)


def ready(request: HttpRequest) -> JsonResponse:
    """200 while this process can serve: database, its migrations, Valkey and the broker."""
    parts = {"database": database_word(), "redis": redis_word(), "broker": OK if broker.answers() else NO_ANSWER}
    return _answer(parts, is_well=set(parts.values()) == {OK})


def work(request: HttpRequest) -> JsonResponse:
    """200 while beat and a worker show signs of life. Late work is told, not judged."""
    try:
        found = work_health()
    except redis.RedisError:
        return _answer({"redis": NO_ANSWER}, is_well=False)
    except Error:
        connection.close()
        return _answer({"database": NO_ANSWER}, is_well=False)
    parts: dict[str, object] = {
        "beat": found.beat,
        "worker": found.worker,
        "queue": found.queue,
        "beat_seen_s": _whole(found.beat_seen_s),
        "worker_seen_s": _whole(found.worker_seen_s),
        "oldest_queued_turn_s": found.turns.oldest_queued_s,
    }
    return _answer(parts, is_well=found.is_well)


def database_word() -> str:
    try:
        return NOT_MIGRATED if missing_migrations() else OK
    except Error:
        connection.close()
        return NO_ANSWER


def missing_migrations() -> list[str]:
    """Return the names of migrations that were not applied. Raises `django.db.Error`."""
    applied = set(MigrationRecorder(connection).applied_migrations())
    return [f"{app}.{name}" for app, name in _migrations() if (app, name) not in applied]


@lru_cache(maxsize=1)
def _migrations() -> list[tuple[str, str]]:
    return sorted(MigrationLoader(None).disk_migrations)


def redis_word() -> str:
    wait = {"socket_timeout": ANSWER_WITHIN_S, "socket_connect_timeout": ANSWER_WITHIN_S}
    try:
        with redis.Redis.from_url(settings.REDIS_URL, **wait) as client:
            return OK if client.ping() else NO_ANSWER
    except redis.RedisError:
        return NO_ANSWER


def _whole(age_s: float | None) -> int | None:
    return None if age_s is None else int(age_s)


def _answer(parts: Mapping[str, object], *, is_well: bool) -> JsonResponse:
    body = {"status": OK if is_well else "not well", **parts}
    return JsonResponse(body, status=200 if is_well else 503, headers={"Cache-Control": "no-store"})
