"""Jobs in tests: the real messages of the in-memory broker, run one after the other in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from django.db import connection
from kombu import Message, Queue
from kombu.transport.memory import Channel

from bakedbrie.celery import app

Ran: TypeAlias = list[tuple[str, tuple[Any, ...]]]


def drain_jobs(*, limit: int = 200) -> Ran:
    """Do what would follow the commit, then run every job that was rung for, and every job those ring for.

    Returns (task name, arguments) in the order they ran. More than ``limit`` jobs mean that they ring each other
    for ever.
    """
    ran: Ran = []
    while True:
        _run_commit_callbacks()
        message = _next_message()
        if message is None:
            return ran
        if len(ran) == limit:
            raise AssertionError(f"More than {limit} jobs ran; the last ones: {[name for name, _ in ran[-5:]]}")
        ran.append(_run(message))


def purge_jobs() -> None:
    """Forget every message."""
    for queue in Channel.queues.values():
        queue.queue.clear()  # the queue itself stays: the producer has declared it and will not do so again


def _run_commit_callbacks() -> None:
    """Run what waits for the commit that a test's transaction never sees. Errors are raised, also of robust ones."""
    while connection.run_on_commit:
        waiting: tuple[Any, ...] = connection.run_on_commit.pop(0)
        callback: Callable[[], None] = waiting[1]
        callback()


def _next_message() -> Message | None:
    with app.connection_for_read() as broker:
        for name in sorted(Channel.queues):
            message = Queue(name)(broker.default_channel).get(no_ack=True)
            if message is not None:
                return message
    return None


def _run(message: Message) -> tuple[str, tuple[Any, ...]]:
    name = message.headers["task"]
    if name not in app.tasks:
        app.loader.import_default_modules()
    args, kwargs, _ = message.decode()
    app.tasks[name].apply(args=args, kwargs=kwargs, task_id=message.headers["id"], throw=True)
    return name, tuple(args)
