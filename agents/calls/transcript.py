"""A turn at work, seen from outside: about once a second its new text is kept, and somebody may have stopped it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from django.db import Error, connection

from agents.models import Turn
from agents.providers.base import storable
from agents.selectors import is_stop_asked
from agents.services.transcripts import keep_line
from bakedbrie.lib.redact import Redactor

logger = logging.getLogger(__name__)

EVERY_S = 1.0
MOST_CHARACTERS = 200_000


class StopAsked(Exception):
    """Somebody stopped the turn: nobody wants the rest of its answer."""


class TranscriptWriter:
    """``hear`` what a model writes, ``look`` up while it is silent. Nothing that goes wrong here harms the turn."""

    def __init__(self, turn: Turn, redactor: Redactor) -> None:
        self._turn = turn
        self._redactor = redactor
        self._heard: list[str] = []
        self._lines = 0
        self._room = MOST_CHARACTERS
        self._next_look = time.monotonic() + EVERY_S

    def hear(self, piece: str) -> None:
        """Note a piece of the answer, then `look`."""
        if piece and self._room > 0:
            piece = storable(piece)[: self._room]
            self._room -= len(piece)
            self._heard.append(piece)
        self.look()

    def look(self) -> None:
        """Keep what was heard as a line, and raise `StopAsked` when the turn was stopped: at most once a second."""
        if time.monotonic() < self._next_look:
            return
        is_stopped = self._try(self._is_stopped)
        if not is_stopped:
            self._try(self._write)
        self._next_look = time.monotonic() + EVERY_S
        if is_stopped:
            raise StopAsked

    def _is_stopped(self) -> bool:
        return is_stop_asked(self._turn.pk)

    def _write(self) -> bool:
        text, rest = self._redactor.split("".join(self._heard))
        if text:
            keep_line(self._turn, seq=self._lines + 1, text=text)
            self._heard, self._lines = [rest], self._lines + 1
        return True

    def _try(self, step: Callable[[], bool]) -> bool:
        try:
            return step()
        except Error:
            logger.warning("The transcript of a turn is behind", extra={"turn": self._turn.pk}, exc_info=True)
            connection.close_if_unusable_or_obsolete()  # the turn's end needs a connection that works
            return False
