"""What happens after the commit and not before: jobs are rung for and open pages are told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
import redis
from django.conf import settings
from django.db import transaction
from django.test import override_settings

from bakedbrie.celery import app
from bakedbrie.lib import ids, live
from bakedbrie.lib.jobs import Job, poke
from tests.support.jobs import Ran

BOARD = ids.new_id()
CARD = ids.new_id()


@pytest.fixture
def listener() -> Iterator[redis.client.PubSub]:
    """Somebody who looks at the board."""
    with redis.Redis.from_url(settings.REDIS_URL) as connection, connection.pubsub() as listener:
        listener.subscribe(live.channel(BOARD))
        assert listener.get_message(timeout=10)["type"] == "subscribe"
        yield listener


@pytest.fixture
def waking() -> Iterator[list[tuple[str, ...]]]:
    """Stands in for the task that wakes turns, and keeps what it was rung with."""
    real = app.tasks.pop(Job.WAKE_TURNS, None)
    rung: list[tuple[str, ...]] = []

    @app.task(name=Job.WAKE_TURNS.value)
    def wake(*row_ids: str) -> None:
        rung.append(row_ids)

    yield rung
    app.tasks.pop(Job.WAKE_TURNS)
    if real is not None:
        app.tasks.register(real)


@pytest.mark.django_db(transaction=True)
def test_a_job_is_rung_for_after_the_commit_with_ids_alone(
    waking: list[tuple[str, ...]], drain_jobs: Callable[..., Ran]
) -> None:
    with transaction.atomic():
        poke(Job.WAKE_TURNS, BOARD, CARD)

    drain_jobs()

    assert waking == [(str(BOARD), str(CARD))]


@pytest.mark.django_db(transaction=True)
def test_a_change_that_is_rolled_back_rings_for_nothing(
    waking: list[tuple[str, ...]], drain_jobs: Callable[..., Ran]
) -> None:
    with transaction.atomic():
        poke(Job.WAKE_TURNS, BOARD)
        transaction.set_rollback(True)

    drain_jobs()

    assert waking == []


@pytest.mark.django_db(transaction=True)
def test_an_open_page_is_told_after_the_commit_without_content(listener: redis.client.PubSub) -> None:
    with transaction.atomic():
        live.hint(BOARD, "card", CARD)
        assert listener.get_message(timeout=0) is None

    message = listener.get_message(timeout=10)

    assert json.loads(message["data"]) == {"board": str(BOARD), "card": str(CARD), "kind": "card"}


@pytest.mark.django_db(transaction=True)
def test_an_open_page_hears_nothing_of_a_change_that_is_rolled_back(listener: redis.client.PubSub) -> None:
    with transaction.atomic():
        live.hint(BOARD, "card")
        transaction.set_rollback(True)
    live.hint(BOARD, "board")

    message = listener.get_message(timeout=10)

    assert json.loads(message["data"]) == {"board": str(BOARD), "card": None, "kind": "board"}


@pytest.mark.django_db(transaction=True)
def test_a_change_stands_when_valkey_is_away(caplog: pytest.LogCaptureFixture) -> None:
    with override_settings(REDIS_URL="redis://127.0.0.1:1/0"), transaction.atomic():
        live.hint(BOARD, "card")

    assert caplog.messages == ["A live hint was not published"]
