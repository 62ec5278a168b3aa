"""The ground that every other test stands on."""

from __future__ import annotations

import pytest
import redis
from django.conf import settings
from django.db import connection


@pytest.mark.django_db
def test_postgres_is_the_embedded_one() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SHOW fsync")
        assert cursor.fetchone() == ("off",)


def test_valkey_answers() -> None:
    client = redis.Redis.from_url(settings.REDIS_URL)

    assert client.ping() is True

    client.close()
