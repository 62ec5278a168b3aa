"""One line that says who is at work: it counts on a terminal, and is written again now and then elsewhere."""

from __future__ import annotations

from typing import Any, TextIO

from bakedbrie.demo.report import at_work

AGAIN_AFTER_S = 10
WIDTH = 60


class Progress:
    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._counts = out.isatty()
        self._shown = ("", -1)

    def tick(self, waited_s: float, turn: dict[str, Any]) -> None:
        text = at_work(turn)
        if self._counts:
            self._write(f"\r{f'{text} … {waited_s:.0f} s':<{WIDTH}}")
            return
        shown = (text, int(waited_s // AGAIN_AFTER_S))
        if shown != self._shown:
            self._shown = shown
            self._write(f"{text} … {waited_s:.0f} s\n")

    def end(self) -> None:
        if self._counts:
            self._write(f"\r{'':<{WIDTH}}\r")

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()
