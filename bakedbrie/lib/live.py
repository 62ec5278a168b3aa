"""Live hints: "something changed on this board", without content, published after the commit.

A hint may be lost and may come twice; the page fetches its partial again either way.
"""

from __future__ import annotations

import json
import logging
import uuid
from functools import lru_cache

import redis
from django.conf import settings

from bakedbrie.lib.after_commit import after_commit

logger = logging.getLogger(__name__)


def channel(board_id: uuid.UUID | str) -> str:
    """Return the name of the board's channel in Valkey."""
    return f"{settings.LIVE_PREFIX}board:{board_id}"


def hint(board_id: uuid.UUID, kind: str, card_id: uuid.UUID | None = None) -> None:
    """Tell open pages of one board that ``kind`` changed, once the transaction is committed."""
    message = json.dumps({"board": str(board_id), "card": str(card_id) if card_id else None, "kind": kind})
    after_commit(_publish, channel(board_id), message)


def kind_of(message: str) -> str:
    """Return the ``kind`` of a hint, or nothing of what is none: anybody may publish on a channel."""
    try:
        return str(json.loads(message)["kind"])
    except (ValueError, KeyError, TypeError):
        return ""


def _publish(name: str, message: str) -> None:
    try:
        _client(settings.REDIS_URL).publish(name, message)
    except redis.RedisError:
        logger.warning("A live hint was not published")


@lru_cache(maxsize=1)
def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2)
