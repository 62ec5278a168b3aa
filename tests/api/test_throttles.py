"""A token makes so many calls in a minute."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pytest_django.fixtures import Settings
from time_machine import TimeMachineFixture

from tests.support.cast import api
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db

MIDDLE_OF_A_MINUTE = datetime(2026, 11, 30, 12, 0, 45, tzinfo=UTC)


def test_beyond_the_limit_a_token_waits_for_the_next_minute(
    alice: Caller, settings: Settings, time_machine: TimeMachineFixture
) -> None:
    settings.CALLS_PER_MINUTE = 3
    client = api(alice)
    time_machine.move_to(MIDDLE_OF_A_MINUTE, tick=False)

    statuses = [client.get("/api/v1/token").status_code for _ in range(3)]
    refused = client.get("/api/v1/token")
    other = api(alice).get("/api/v1/token")
    time_machine.shift(16)
    later = client.get("/api/v1/token")

    assert statuses == [204, 204, 204]
    assert refused.status_code == 429
    assert refused.headers["Retry-After"] == "15"
    assert refused.json()["error"]["code"] == "RATE_LIMITED"
    assert refused.json()["error"]["retryable"] is True
    assert other.status_code == 204
    assert later.status_code == 204


def test_without_valkey_nothing_is_refused(alice: Caller, settings: Settings) -> None:
    settings.CALLS_PER_MINUTE = 1
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    client = api(alice)

    assert [client.get("/api/v1/token").status_code for _ in range(3)] == [204, 204, 204]
