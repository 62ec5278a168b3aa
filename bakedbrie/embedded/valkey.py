"""One Valkey server on a unix socket: the broker and the live hints."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from pathlib import Path

from bakedbrie.embedded import process
from bakedbrie.embedded.binaries import valkey_program
from bakedbrie.embedded.folders import own_folder, socket_folder
from bakedbrie.embedded.logs import last_line
from bakedbrie.embedded.trouble import Trouble

SOCKET_NAME = "valkey.sock"
READY_WITHIN_S = 60
STOP_WITHIN_S = 10
POLL_S = 0.02


def url(data: Path) -> str:
    """Return the address for redis-py."""
    return f"unix://{_socket_of(data)}?db=0"


def broker_url(data: Path) -> str:
    """Return the address for Celery."""
    return f"redis+socket://{_socket_of(data)}?virtual_host=0"


def socket_folder_of(data: Path) -> Path:
    return socket_folder(data, SOCKET_NAME)


def _socket_of(data: Path) -> Path:
    return socket_folder_of(data) / SOCKET_NAME


class Valkey:
    """The server of one data folder. Whoever calls this holds the lock on that folder."""

    stop_signal = signal.SIGTERM  # writes everything down first
    last_signal = signal.SIGKILL
    stop_within_s: float = STOP_WITHIN_S

    def __init__(self, data: Path, log: Path, *, keeps_data: bool = True) -> None:
        self.data = data
        self.log = log
        self.keeps_data = keeps_data
        self.socket = _socket_of(data)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Return when the server answers."""
        own_folder(self.data, None)
        own_folder(self.socket.parent, None)
        self._end_earlier()
        self.socket.unlink(missing_ok=True)
        listen: list[str | Path] = ["--port", "0", "--unixsocket", self.socket, "--unixsocketperm", "700"]
        keep: list[str | Path] = ["--dir", self.data, "--appendonly", "yes" if self.keeps_data else "no", "--save", ""]
        with self.log.open("ab") as log:
            command = [valkey_program(), *listen, *keep]
            self.process = process.spawn(command, on_parent_death=self.stop_signal, output=log)
        deadline = time.monotonic() + READY_WITHIN_S
        while not self._ask(b"PING\r\n").startswith(b"+PONG"):
            if (code := self.process.poll()) is not None:
                raise Trouble(f"Valkey ended with status {code} while it started ({self.log}): {last_line(self.log)}")
            if time.monotonic() > deadline:
                raise Trouble(f"Valkey was not ready after {READY_WITHIN_S} seconds; see {self.log}.")
            time.sleep(POLL_S)

    def stop(self) -> None:
        if self.process:
            process.end(self.process, self.stop_signal, within_s=self.stop_within_s, then=self.last_signal)

    def _end_earlier(self) -> None:
        """End the server of a supervisor that was killed: two must never write one folder."""
        deadline = time.monotonic() + STOP_WITHIN_S
        while self._ask(b"PING\r\n"):
            if time.monotonic() > deadline:
                raise Trouble(f"Valkey of an earlier start does not stop ({self.socket}).")
            self._ask(b"SHUTDOWN\r\n")
            time.sleep(POLL_S)

    def _ask(self, command: bytes) -> bytes:
        """Return the first bytes of the answer, or nothing where nobody answers."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(2)
            try:
                connection.connect(str(self.socket))
                connection.sendall(command)
                return connection.recv(64)
            except OSError:
                return b""
