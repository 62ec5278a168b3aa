"""The site in a process of its own, as the supervisor starts it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import connection


@dataclass(kw_only=True)
class WebProcess:
    address: str
    process: subprocess.Popen[bytes]
    _log: Path

    def log(self) -> list[dict[str, object]]:
        """Return its lines; what other libraries print before the log is set up is none."""
        lines = self._log.read_text(errors="replace").splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]


@contextmanager
def web_process(folder: Path, **more: str) -> Iterator[WebProcess]:
    """Run it on the database of the tests; its log lies in ``folder``, for a pipe that is full would hold it up."""
    log = folder / "web.log"
    environment = {
        "DATABASE_NAME": str(connection.settings_dict["NAME"]),
        "SECRET_KEY": settings.SECRET_KEY,
        "SEALING_KEYS": settings.SEALING_KEYS,
        "DJANGO_SETTINGS_MODULE": "bakedbrie.settings",
        **more,
    }
    with socket.create_server(("127.0.0.1", 0)) as listener:
        command = [sys.executable, "-m", "bakedbrie.embedded.serve_web", str(listener.fileno())]
        with (
            log.open("wb") as errors,
            subprocess.Popen(
                command, env={**os.environ, **environment}, pass_fds=[listener.fileno()], stderr=errors
            ) as process,
        ):
            try:
                address = f"http://127.0.0.1:{listener.getsockname()[1]}"
                yield WebProcess(address=address, process=process, _log=log)
            finally:
                process.kill()
