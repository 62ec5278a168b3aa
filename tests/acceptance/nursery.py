"""Real processes in a moment: one that has the product loaded forks a child for each job, and the child can be killed.

What runs in them is `tests.acceptance.newborn`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from django.db import connection

from bakedbrie.lib.jobs import Job
from tests.acceptance.worker import ROOT, until

_PROGRAM = """
import sys
import django
django.setup()
from tests.acceptance.newborn import main
main(sys.argv[1])
"""


class Child:
    """A process that does one thing. Killed, it leaves what a worker leaves that is killed."""

    def __init__(self, pid: int) -> None:
        self._pid = pid

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        self.wait_for_end()

    def wait_for_end(self) -> None:
        until(lambda: not Path(f"/proc/{self._pid}").exists(), "the process is gone")


class Nursery:
    """Messages that its children send reach nobody, as when the broker forgets them."""

    def __init__(self, loopback: str, log: Path) -> None:
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "DATABASE_NAME": str(connection.settings_dict["NAME"]),
        }
        environment.pop("PROMETHEUS_MULTIPROC_DIR", None)  # our own settings put it there
        with log.open("wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, loopback],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self._log = log

    def run(self, job: Job, *ids: uuid.UUID) -> Child:
        """Do a job as a worker does."""
        return self._fork({"job": job.value, "args": [str(one) for one in ids]})

    def decide(self, given: Mapping[str, str], *, dies: bool = False) -> Child:
        """Decide on a review as a web process does; ``dies``: at the commit, before anybody is rung for."""
        return self._fork({"decide": dict(given), "dies": dies})

    def log(self) -> str:
        return self._log.read_text(errors="replace")

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _fork(self, wanted: Mapping[str, object]) -> Child:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(wanted) + "\n")
        self._process.stdin.flush()
        return Child(int(self._process.stdout.readline()))
