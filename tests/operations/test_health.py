"""What machines ask: each part that is wrong is named, and nothing else is told."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
import redis
from django.db import connection
from django.test import Client
from pytest_django.fixtures import Settings

from agents.models import Turn
from agents.states import TurnState
from bakedbrie.lib import clock, presence
from bakedbrie.lib.presence import Sign
from tests.factories.workflows import make_line
from tests.support.fake_provider import FakeProvider
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db

NOWHERE = "redis://127.0.0.1:1/0"
STRANGE = Client(headers={"Host": "10.0.0.7:8000"})  # a probe asks by address, and over plain http


@pytest.fixture(autouse=True)
def signs(settings: Settings) -> Iterator[None]:
    """Signs of this test alone."""
    settings.LIVE_PREFIX += "health:"
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        yield
        client.delete(*(presence._key(sign) for sign in Sign))


@pytest.fixture
def turn(alice: Caller, settings: Settings) -> Iterator[Turn]:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        yield make_line(alice, provider).start()


def age(sign: Sign, settings: Settings, seconds: int) -> None:
    """Make a sign older, as Valkey's clock counts."""
    presence.note(sign)
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        client.pexpire(presence._key(sign), presence.KEPT_MS - seconds * 1000)


def ask(path: str) -> tuple[int, dict[str, object]]:
    answer = STRANGE.get(path)
    return answer.status_code, answer.json()


@pytest.mark.parametrize("path", ["/health/ready", "/healthz"])
def test_a_process_that_can_serve_is_ready(path: str) -> None:
    assert ask(path) == (200, {"status": "ok", "database": "ok", "redis": "ok", "broker": "ok"})


@pytest.mark.parametrize("path", ["/health/live", "/health/ready", "/health/work"])
def test_a_probe_needs_neither_our_host_nor_https(path: str, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["board.example.com"]
    settings.SECURE_SSL_REDIRECT = True

    answer = STRANGE.get(path)

    assert answer.status_code in {200, 503}
    assert answer.headers["Cache-Control"] == "no-store"
    assert STRANGE.get("/").status_code == 400


@pytest.mark.parametrize("path", ["/health/live", "/health/ready", "/health/work"])
def test_a_probe_is_only_read(path: str) -> None:
    assert STRANGE.post(path).status_code == 405
    assert STRANGE.head(path).content == b""


def test_a_process_without_database_and_valkey_still_lives(settings: Settings) -> None:
    settings.REDIS_URL = NOWHERE

    with connection.execute_wrapper(lambda *_: pytest.fail("asked the database")):
        assert ask("/health/live") == (200, {"status": "ok"})


def test_without_valkey_it_is_not_ready(settings: Settings) -> None:
    settings.REDIS_URL = NOWHERE

    status, body = ask("/health/ready")

    assert (status, body) == (503, {"status": "not well", "database": "ok", "redis": "no answer", "broker": "ok"})


def test_without_a_migration_it_is_not_ready() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'agents' AND name LIKE '0004%%'")

    status, body = ask("/health/ready")

    assert (status, body["database"]) == (503, "migrations are missing")


def test_without_signs_beat_and_worker_are_not_seen() -> None:
    assert ask("/health/work") == (
        503,
        {
            "status": "not well",
            "beat": "not seen",
            "worker": "not seen",
            "queue": "ok",
            "beat_seen_s": None,
            "worker_seen_s": None,
            "oldest_queued_turn_s": 0,
        },
    )


def test_with_fresh_signs_all_is_well() -> None:
    for sign in Sign:
        presence.note(sign)

    status, body = ask("/health/work")

    assert (status, body["status"], body["beat"], body["worker"]) == (200, "ok", "ok", "ok")
    assert (body["beat_seen_s"], body["worker_seen_s"]) == (0, 0)


@pytest.mark.parametrize(
    ("beat_s", "worker_s", "sweep_s", "words"),
    [
        (70, 5, 70, ("not seen", "ok")),  # without beat nobody rings for the sweep
        (5, 70, 70, ("ok", "not seen")),
        (5, 5, 100, ("ok", "stuck")),
        (5, 5, 80, ("ok", "ok")),
    ],
)
def test_old_signs_tell_which_part_is_wrong(
    settings: Settings, beat_s: int, worker_s: int, sweep_s: int, words: tuple[str, str]
) -> None:
    for sign, seconds in ((Sign.BEAT, beat_s), (Sign.WORKER, worker_s), (Sign.SWEEP, sweep_s)):
        age(sign, settings, seconds)

    status, body = ask("/health/work")

    assert (body["beat"], body["worker"]) == words
    assert status == (200 if words == ("ok", "ok") else 503)
    assert body["worker_seen_s"] == worker_s


def test_a_worker_whose_threads_are_all_at_calls_is_busy_and_well(settings: Settings, turn: Turn) -> None:
    for sign, seconds in ((Sign.BEAT, 5), (Sign.WORKER, 5), (Sign.SWEEP, 300)):
        age(sign, settings, seconds)
    Turn.objects.filter(pk=turn.pk).update(state=TurnState.SENDING)

    status, body = ask("/health/work")

    assert (status, body["worker"]) == (200, "busy")


def test_a_turn_rung_for_again_and_again_is_late_and_told(turn: Turn) -> None:
    for sign in Sign:
        presence.note(sign)
    made = clock.now() - timedelta(minutes=9)
    Turn.objects.filter(pk=turn.pk).update(rings=3, created_at=made)

    status, body = ask("/health/work")

    assert (status, body["queue"]) == (200, "late")
    assert body["oldest_queued_turn_s"] in {540, 541}


def test_without_valkey_the_work_cannot_be_judged(settings: Settings) -> None:
    settings.REDIS_URL = NOWHERE

    assert ask("/health/work") == (503, {"status": "not well", "redis": "no answer"})
