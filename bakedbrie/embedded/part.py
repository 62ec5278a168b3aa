"""A part of the running install: started, started again when it ends by itself, and stopped."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path
from typing import Protocol

from bakedbrie.embedded.logs import last_line
from bakedbrie.embedded.terminal import report
from bakedbrie.embedded.trouble import Trouble

STEADY_AFTER_S = 60  # ran this long: the next end is not counted together with the earlier ones
FIRST_PAUSE_S = 0.25
LONGEST_PAUSE_S = 30


class Server(Protocol):
    """What a part runs: Postgres, Valkey or one of our programs."""

    log: Path
    stop_within_s: float
    process: subprocess.Popen[bytes] | None

    @property
    def stop_signal(self) -> signal.Signals: ...

    @property
    def last_signal(self) -> signal.Signals: ...

    def start(self) -> None: ...


class Part:
    """Keeps one server running, with a pause that doubles while it keeps ending."""

    def __init__(self, name: str, server: Server) -> None:
        self.name = name
        self.server = server
        self._ends = 0
        self._started_at = 0.0
        self._again_at: float | None = None

    @property
    def is_running(self) -> bool:
        return self.server.process is not None and self.server.process.poll() is None

    def start(self) -> None:
        self._again_at = None
        self._started_at = time.monotonic()
        self.server.start()

    def look_after(self) -> None:
        """Notice an end nobody asked for, and start again once the pause is over."""
        if self.is_running:
            return
        if self._again_at is None:
            self._plan(self._how_it_ended())
        elif time.monotonic() >= self._again_at:
            try:
                self.start()
            except Trouble as trouble:
                self._plan(str(trouble))
            else:
                report(self.name, "runs again")

    def ask_to_stop(self) -> None:
        if self.is_running and self.server.process:
            self.server.process.send_signal(self.server.stop_signal)

    def insist(self) -> None:
        if self.is_running and self.server.process:
            self.server.process.send_signal(self.server.last_signal)
            self.server.process.wait(30)

    def _plan(self, what_happened: str) -> None:
        now = time.monotonic()
        self._ends = 1 if now - self._started_at > STEADY_AFTER_S else self._ends + 1
        pause = min(FIRST_PAUSE_S * 2 ** (self._ends - 1), LONGEST_PAUSE_S)
        self._again_at = now + pause
        report(self.name, f"{what_happened}; starting it again in {pause:g} s")
        report("", f"its last line in {self.server.log}: {last_line(self.server.log)}")

    def _how_it_ended(self) -> str:
        status = self.server.process.returncode if self.server.process else None
        if status is None or status >= 0:
            return f"ended by itself with status {status}"
        return f"was ended by {signal.Signals(-status).name}"
