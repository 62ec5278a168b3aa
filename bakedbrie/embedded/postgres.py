"""One Postgres server on a unix socket, from the wheel's programs; its life cycle is ours."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from bakedbrie.embedded import process
from bakedbrie.embedded.binaries import postgres_programs
from bakedbrie.embedded.folders import own_folder, socket_folder
from bakedbrie.embedded.logs import last_line
from bakedbrie.embedded.system_user import SystemUser
from bakedbrie.embedded.trouble import Trouble

OWNER = "bakedbrie"
PORT = 5432
SOCKET_LOCK = f".s.PGSQL.{PORT}.lock"
READY_WITHIN_S = 120  # recovery after a crash may take a while
STOP_WITHIN_S = 30
POLL_S = 0.02

INITDB = ["--username", OWNER, "--auth", "trust", "--encoding", "UTF8", "--data-checksums"]
# The builtin provider: the order of text never depends on the locales of the machine.
LOCALE = ["--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"]


def socket_folder_of(data: Path) -> Path:
    """Return the folder of the socket, which is what libpq takes for a host."""
    return socket_folder(data, SOCKET_LOCK)


class Postgres:
    """The server of one data folder. Whoever calls this holds the lock on that folder.

    The socket lies in a folder of its account alone, which is what makes ``trust`` safe.
    """

    stop_signal = signal.SIGINT  # a fast shutdown: open transactions are rolled back
    last_signal = signal.SIGQUIT
    stop_within_s: float = STOP_WITHIN_S

    def __init__(
        self, data: Path, log: Path, *, user: SystemUser | None = None, settings: Mapping[str, str] | None = None
    ) -> None:
        self.data = data
        self.log = log
        self.user = user
        self.settings = dict(settings or {})
        self.socket_folder = socket_folder_of(data)
        self.programs = postgres_programs(user)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Return when the server takes connections; make the cluster first where there is none."""
        self._make_cluster()
        self._end_earlier()
        own_folder(self.socket_folder, self.user)
        options = {
            "listen_addresses": "",
            "port": str(PORT),
            "unix_socket_directories": str(self.socket_folder),
            "max_connections": "100",
            **self.settings,
        }
        arguments = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        with self.log.open("ab") as log:
            self.process = process.spawn(
                [self.programs / "postgres", "-D", self.data, *arguments],
                on_parent_death=self.stop_signal,
                user=self.user,
                output=log,
            )
        self._wait_until_ready(self.process)

    def stop(self) -> None:
        if self.process:
            process.end(self.process, self.stop_signal, within_s=self.stop_within_s, then=self.last_signal)

    def make_database(self, name: str) -> None:
        """Make the database ``name`` unless it is there."""
        connection: list[str | Path] = ["--host", self.socket_folder, "--port", str(PORT), "--username", OWNER]
        code, printed = process.run([self.programs / "createdb", *connection, name], user=self.user)
        if code != 0 and "already exists" not in printed:
            raise Trouble(f"Postgres did not make the database {name}: {printed}")

    def _make_cluster(self) -> None:
        if (self.data / "PG_VERSION").exists():
            return
        own_folder(self.data, self.user)
        code, printed = process.run([self.programs / "initdb", "-D", self.data, *INITDB, *LOCALE], user=self.user)
        if code != 0:
            raise Trouble(f"Postgres could not make its data folder {self.data}: {printed.splitlines()[-1]}")

    def _end_earlier(self) -> None:
        """End what a killed supervisor left behind, then forget its lock files.

        Postgres itself refuses to start where a lock file's pid was given out again. Removing the files takes away
        its guard against two servers on one folder, so first nothing of the earlier one may be left.
        """
        pid_file = self.data / "postmaster.pid"
        deadline = time.monotonic() + STOP_WITHIN_S
        while left := self._processes():
            if time.monotonic() > deadline:
                raise Trouble(f"Postgres of an earlier start does not stop (processes {left}).")
            if (pid := _pid_in(pid_file)) in left:
                os.kill(pid, self.stop_signal)
            time.sleep(POLL_S)
        pid_file.unlink(missing_ok=True)
        (self.socket_folder / SOCKET_LOCK).unlink(missing_ok=True)

    def _processes(self) -> list[int]:
        """Return the server and its helpers: all of them, and nothing else, work in the data folder."""
        left = []
        data = os.path.realpath(self.data)
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    place, program = os.readlink(entry / "cwd"), os.readlink(entry / "exe")
                except OSError:  # gone meanwhile, a zombie, or somebody else's
                    continue
                if place == data and Path(program).name.startswith("postgres"):
                    left.append(int(entry.name))
        return left

    def _wait_until_ready(self, server: subprocess.Popen[bytes]) -> None:
        pid_file = self.data / "postmaster.pid"
        deadline = time.monotonic() + READY_WITHIN_S
        while time.monotonic() < deadline:
            if (code := server.poll()) is not None:
                raise Trouble(f"Postgres ended with status {code} while it started ({self.log}): {last_line(self.log)}")
            try:
                lines = pid_file.read_text().splitlines()
            except OSError:
                lines = []
            if len(lines) >= 8 and lines[0] == str(server.pid) and lines[7].strip() == "ready":
                return
            time.sleep(POLL_S)
        raise Trouble(f"Postgres was not ready after {READY_WITHIN_S} seconds; see {self.log}.")


def _pid_in(pid_file: Path) -> int:
    try:
        return int(pid_file.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return 0
