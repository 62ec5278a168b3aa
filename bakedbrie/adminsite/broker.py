"""How many jobs stand in the broker's queues: rows tell what is to be done, these who was rung for it."""

from __future__ import annotations

from typing import Any

from celery import current_app
from kombu import Connection
from kombu.exceptions import OperationalError

QUEUES = ("turns", "default")
ANSWER_WITHIN_S = 2


def queue_depths() -> dict[str, int] | None:
    """Return how many jobs wait in each queue; None when the broker does not answer."""
    with current_app.connection_for_read(connect_timeout=ANSWER_WITHIN_S) as broker:
        away: tuple[type[BaseException], ...] = (OperationalError, OSError, *broker.connection_errors)
        try:
            broker.ensure_connection(max_retries=1, interval_start=0, timeout=ANSWER_WITHIN_S)
            return {queue: _depth(broker, queue) for queue in QUEUES}
        except away:
            return None


def _depth(broker: Connection, queue: str) -> int:
    """Ask on a channel of its own: RabbitMQ closes the channel that asks for a queue which does not exist yet."""
    channel: Any = broker.channel()  # the stubs know nothing of it
    try:
        return int(channel.queue_declare(queue=queue, passive=True).message_count)
    except _channel_errors(broker):
        return 0
    finally:
        channel.close()


def _channel_errors(broker: Connection) -> tuple[type[BaseException], ...]:
    return tuple(broker.channel_errors)
