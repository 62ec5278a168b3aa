"""The broker seen from outside: whether it answers, and how many jobs wait in it."""

from __future__ import annotations

from typing import Any

from celery import current_app
from kombu import Connection, Queue
from kombu.exceptions import OperationalError

QUEUES = ("turns", "default")
ANSWER_WITHIN_S = 2


class NoAnswer(Exception):
    """The broker cannot be reached."""


def depths() -> dict[str, int]:
    """Return how many jobs wait in each queue, or raise `NoAnswer`. A job that a worker has taken does not wait."""
    try:
        with _connected() as broker:
            return {queue: _depth(broker, queue) for queue in QUEUES}
    except (OperationalError, OSError) as error:
        raise NoAnswer(str(error)) from None


def answers() -> bool:
    try:
        with _connected():
            return True
    except (OperationalError, OSError):
        return False


def _connected() -> Connection:
    broker: Connection = current_app.connection_for_write(connect_timeout=ANSWER_WITHIN_S)
    return broker.ensure_connection(max_retries=1, interval_start=0, timeout=ANSWER_WITHIN_S)


def _depth(broker: Connection, queue: str) -> int:
    with broker.channel() as channel:
        try:
            found: Any = Queue(queue, channel=channel).queue_declare(passive=True)  # its stub names the queue alone
            return int(found.message_count)
        except broker.channel_errors:  # nobody has put anything into it yet
            return 0
