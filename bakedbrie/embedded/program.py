"""One of BakedBrie's own processes: web, worker, beat, the local model."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bakedbrie.embedded import process
from bakedbrie.embedded.data_folder import CODE


class Program:
    """A Python module run beside the code. It dies with the supervisor: whatever it was doing, its rows tell."""

    stop_signal = signal.SIGTERM
    last_signal = signal.SIGKILL

    def __init__(
        self,
        module: str,
        *arguments: str,
        environment: Mapping[str, str],
        log: Path,
        stop_within_s: float = 10,
        descriptors: Sequence[int] = (),
    ) -> None:
        self.command = [sys.executable, "-m", module, *arguments]
        self.environment = environment
        self.log = log
        self.stop_within_s = stop_within_s
        self.descriptors = descriptors
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = process.spawn(
                self.command, env=self.environment, output=log, pass_fds=self.descriptors, cwd=CODE
            )
