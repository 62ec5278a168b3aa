"""Requests to stop, as a counter that can be waited on: the first asks, the second insists."""

from __future__ import annotations

import os
import select
import signal
from types import FrameType, TracebackType
from typing import Any

STOP = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Signals:
    """While entered, Ctrl-C, SIGTERM and a closed terminal only count; the end of a child wakes the waiting."""

    def __init__(self) -> None:
        self.stop_requests = 0
        self._earlier: dict[signal.Signals, Any] = {}
        self._earlier_wakeup = -1
        self._read = self._write = -1

    def __enter__(self) -> Signals:
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        os.set_blocking(self._write, False)
        self._earlier_wakeup = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        for number in STOP:
            self._earlier[number] = signal.signal(number, self._count)
        # Without a handler of Python's own, SIGCHLD would not reach the pipe.
        self._earlier[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._earlier.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._earlier_wakeup)
        os.close(self._read)
        os.close(self._write)

    def wait(self, seconds: float) -> None:
        """Sleep, but no longer than until the next signal."""
        ready, _, _ = select.select([self._read], [], [], seconds)
        if ready:
            os.read(self._read, 4096)

    def _count(self, number: int, frame: FrameType | None) -> None:
        self.stop_requests += 1
