"""Postgres, Valkey and the broker: whether they answer, and whether what they hold is what this version needs."""

from __future__ import annotations

import time

import redis
from django.conf import settings
from django.db import Error, connection

from bakedbrie import broker
from bakedbrie.api.health import OK, missing_migrations, redis_word
from bakedbrie.doctor.finding import Finding, ok, skipped, wrong
from bakedbrie.lib import clock

OLDEST_POSTGRES = 150_000
MOST_SKEW_S = 5.0
NO_DATABASE = "the database does not answer, or is not migrated"
NO_VALKEY = "Valkey does not answer"


def check_database(id: str) -> Finding:
    at = settings.DATABASES["default"]
    where = f"{at['HOST'] or 'its socket'} port {at['PORT']}"
    try:
        connection.ensure_connection()
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('server_encoding'), current_setting('server_version')")
            encoding, version = cursor.fetchone()
    except Error as error:
        fix = "Start Postgres, then look at DATABASE_HOST, DATABASE_PORT, DATABASE_USER and its password. It said: "
        said = " ".join(str(error).split())[:300]
        return wrong(id, f"Postgres does not let us in at {where}, database {at['NAME']}.", fix + said)
    if connection.cursor().connection.info.server_version < OLDEST_POSTGRES:
        return wrong(id, f"Postgres is {version}.", "Update it: BakedBrie needs 15 or newer.")
    if encoding != "UTF8":
        return wrong(id, f"The database is encoded in {encoding}.", "Make a new one with ENCODING 'UTF8' and copy it.")
    return ok(id, f"Postgres {version} answers.")


def check_migrations(id: str) -> Finding:
    try:
        missing = missing_migrations()
    except Error:
        return skipped(id, NO_DATABASE)
    if missing:
        first = ", ".join(missing[:3]) + (" …" if len(missing) > 3 else "")
        return wrong(id, f"{len(missing)} migrations were not applied: {first}.", "Run `manage.py migrate`.")
    return ok(id, "Every migration is applied.")


def check_clock(id: str) -> Finding:
    """Leases run on the database's clock, links and tokens on this machine's."""
    try:
        connection.ensure_connection()
        with connection.cursor() as cursor:
            asked, begun = clock.now(), time.monotonic()
            cursor.execute("SELECT clock_timestamp()")
            (told,) = cursor.fetchone()
    except Error:
        return skipped(id, NO_DATABASE)
    skew = (told - asked).total_seconds() - (time.monotonic() - begun) / 2
    if abs(skew) > MOST_SKEW_S:
        ahead = "ahead of" if skew > 0 else "behind"
        fix = "Let both machines keep time (NTP)."
        return wrong(id, f"The database's clock is {abs(skew):.0f} s {ahead} this machine's.", fix)
    return ok(id, "The database and this machine agree on the time.")


def check_valkey(id: str) -> Finding:
    if redis_word() == OK:
        return ok(id, "Valkey answers.")
    fix = "Start it, then look at REDIS_URL. Until then pages are not live and nothing is counted."
    return wrong(id, "Valkey (or Redis) does not answer.", fix)


def check_broker(id: str) -> Finding:
    try:
        depths = broker.depths()
    except (broker.NoAnswer, redis.RedisError):
        fix = "Start it, then look at CELERY_BROKER_URL. Cards stay queued meanwhile, and none is lost."
        return wrong(id, "The broker does not answer.", fix)
    return ok(id, "The broker answers; " + ", ".join(f"{n} jobs in {queue}" for queue, n in depths.items()) + ".")
