"""What happens after the commit and not before: jobs are rung for and open pages are told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
import redis
from celery import Celery
from django.conf import settings
from django.db import transaction
from django.test import override_settings

from bakedbrie.celery import app
from bakedbrie.lib import ids, live
from bakedbrie.lib.after_commit import after_commit
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

    @app.task(name=Job.WAKE_TURNS.value, shared=False)
    def wake(*row_ids: str) -> None:
        rung.append(row_ids)

    yield rung
    app.tasks.pop(Job.WAKE_TURNS)
    if real is not None:
        app.tasks.register(real)


@pytest.fixture
def without_broker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lets this process ring at an address where nobody listens."""
    monkeypatch.setenv("CELERY_BROKER_URL", "redis://127.0.0.1:1/0")
    away = Celery("away", set_as_current=False)
    away.finalized = True  # type: ignore[attr-defined]  # the stubs lack it; without tasks of its own it sends by name
    away.set_current()
    yield
    app.set_current()


@pytest.mark.requirement("C018")
@pytest.mark.django_db(transaction=True)
def test_a_job_is_rung_for_after_the_commit_with_ids_alone(
    waking: list[tuple[str, ...]], drain_jobs: Callable[..., Ran]
) -> None:
    with transaction.atomic():
        poke(Job.WAKE_TURNS, BOARD, CARD)

    drain_jobs()

    assert waking == [(str(BOARD), str(CARD))]


@pytest.mark.requirement("C018")
@pytest.mark.django_db(transaction=True)
def test_a_change_that_is_rolled_back_rings_for_nothing(
    waking: list[tuple[str, ...]], drain_jobs: Callable[..., Ran]
) -> None:
    with transaction.atomic():
        poke(Job.WAKE_TURNS, BOARD)
        transaction.set_rollback(True)

    drain_jobs()

    assert waking == []


@pytest.mark.requirement("C018")
@pytest.mark.django_db(transaction=True)
def test_a_change_stands_when_the_broker_is_away(without_broker: None, caplog: pytest.LogCaptureFixture) -> None:
    with transaction.atomic():
        poke(Job.WAKE_TURNS, BOARD)

    assert caplog.messages == ["The broker did not take a job; the sweep will ring again"]


@pytest.mark.requirement("C018")
@pytest.mark.django_db(transaction=True)
def test_what_fails_after_the_commit_is_logged_and_keeps_nothing_else_back(caplog: pytest.LogCaptureFixture) -> None:
    done: list[str] = []

    def fail(word: str) -> None:
        raise LookupError(word)

    with transaction.atomic():
        after_commit(fail, "no such file")
        after_commit(done.append, "the next")

    assert done == ["the next"]
    assert [record.name for record in caplog.records] == ["django.db.backends.base"]
    assert "no such file" in caplog.text


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
