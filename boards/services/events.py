"""History: one row per change, written in the change's own transaction."""

from __future__ import annotations

import logging
from typing import Any

from bakedbrie.lib import live
from boards.models import Board, BoardEvent, Card
from boards.states import EventKind
from workspaces.models import Actor

logger = logging.getLogger(__name__)


def record_event(board: Board, kind: EventKind, *, actor: Actor, card: Card | None = None, **data: Any) -> BoardEvent:
    """Write history and tell open pages. ``data`` is JSON: ids as text, names and codes, never content."""
    event = BoardEvent.objects.create(board=board, kind=kind, actor=actor, card=card, data=data)
    logger.info("Board event", extra={"kind": kind.value, "board": board.pk, "card": card.pk if card else None})
    live.hint(board.pk, kind, card.pk if card else None)
    return event
