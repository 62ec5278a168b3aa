"""The supervisor of one data folder: starts the parts, keeps them running, stops them in order."""

from __future__ import annotations

import http
import http.client
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from bakedbrie.embedded import local_bucket, process, stack
from bakedbrie.embedded.data_folder import CODE, DataFolder
from bakedbrie.embedded.environment import FIRST_WEB_PORT, for_django
from bakedbrie.embedded.local_bucket import LocalBucket
from bakedbrie.embedded.local_model import FIRST_PORT, LocalModel, is_installed
from bakedbrie.embedded.logs import last_line, put_aside, wrong_settings_in
from bakedbrie.embedded.memory import Memory, recall, remember
from bakedbrie.embedded.part import Part
from bakedbrie.embedded.ports import LOOPBACK, listen, listen_exactly, next_free, port_of
from bakedbrie.embedded.postgres import OWNER
from bakedbrie.embedded.signals import Signals
from bakedbrie.embedded.system_user import SystemUser
from bakedbrie.embedded.terminal import report, say
from bakedbrie.embedded.trouble import Trouble

PROVIDER_KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY")  # accounts hold keys, our processes do not
LOOK_EVERY_S = 0.5
LOGS_EVERY_S = 600
ANSWERS_WITHIN_S = 120
PATIENCE_S = 3  # after this long, say what is being waited for


class Stopped(Exception):
    """Somebody asked to stop before everything was started."""


class Supervisor:
    """Whoever makes one holds the folder's lock and has entered ``signals``. Postgres runs as ``user``."""

    def __init__(self, folder: DataFolder, signals: Signals, user: SystemUser | None) -> None:
        self.folder = folder
        self.signals = signals
        self.user = user
        self.running: list[list[Part]] = []
        self.environment: dict[str, str] = {}
        self.model: LocalModel | None = None
        self.bucket: LocalBucket | None = None
        self._logs_due_at = 0.0
        self._listener: socket.socket | None = None

    @property
    def web_address(self) -> str:
        return self.environment["APP_URL"]

    @property
    def listens_at(self) -> str:
        """What `web_address` is too, unless somebody set APP_URL."""
        return f"http://{LOOPBACK}:{recall(self.folder.memory).web_port}"

    def start(self) -> None:
        """Return when the web address and the local model, where there is one, answer."""
        self._listener = self._choose_ports()
        given = {name: value for name, value in os.environ.items() if name not in PROVIDER_KEYS}
        self.environment = for_django(self.folder, given)
        shutil.rmtree(self.folder.metrics, ignore_errors=True)  # the counters of processes that ended
        self.prepare("collectstatic", "--noinput", "--verbosity", "0")  # before anything runs: it reads the settings
        self.start_stores()
        self.prepare("migrate", "--noinput", "--verbosity", "0")
        report("database", "migrated")
        if self.model:
            self._start(stack.local_model(self.folder, self.model, self.environment))
        if self.bucket:
            self._start(stack.local_bucket(self.folder, self.bucket, self.environment))
        self._start(stack.worker(self.folder, self.environment))
        self._start(stack.doors(self.folder, self.environment, self._listener))
        self._wait_for("web", port_of(self._listener), "/")
        if self.model:
            self._wait_for("model", self.model.port, "/health")
        if self.bucket:
            self._wait_for("bucket", self.bucket.port, "/")

    def start_stores(self) -> None:
        """Return when Postgres, with its database, and Valkey answer."""
        postgres, valkey = stack.stores(self.folder, self.user)
        self._start([Part("postgres", postgres)])
        postgres.make_database(OWNER)
        self._start([Part("valkey", valkey)])

    def watch(self, until: Callable[[], bool] = lambda: False) -> None:
        """Keep everything running until somebody asks to stop, or ``until`` says so."""
        while not self.signals.stop_requests and not until():
            if time.monotonic() >= self._logs_due_at:
                self._logs_due_at = time.monotonic() + LOGS_EVERY_S
                put_aside(self.folder.logs)
            for group in self.running:
                for part in group:
                    part.look_after()
            self.signals.wait(LOOK_EVERY_S)

    def stop(self) -> None:
        """Stop the doors first and the stores last. Running work may end; a second request to stop ends it now."""
        asked_before = self.signals.stop_requests
        while self.running:
            group = self.running.pop()
            for part in group:
                part.ask_to_stop()
            for part in group:
                self._see_off(part, asked_before)
        if self._listener:
            self._listener.close()

    def command(self, *arguments: str, **more: str) -> subprocess.Popen[bytes]:
        """Start a command of manage.py on this terminal, with ``more`` in its environment, and no chatter."""
        environment = {**os.environ, **self.environment, "LOG_LEVEL": "WARNING", **more}
        return process.spawn([sys.executable, CODE / "manage.py", *arguments], env=environment, output=None, cwd=CODE)

    def _choose_ports(self) -> socket.socket:
        memory = recall(self.folder.memory)
        if given := os.environ.get("PORT"):
            listener = listen_exactly(given)
        else:
            wanted = memory.web_port or FIRST_WEB_PORT
            listener = listen(wanted)
            if port_of(listener) != wanted:
                report("web", f"port {wanted} is taken, using {port_of(listener)}")
        memory = remember(self.folder.memory, web_port=port_of(listener))
        self.model = self._choose_model(memory)
        self.bucket = self._choose_bucket(memory)
        return listener

    def _choose_model(self, memory: Memory) -> LocalModel | None:
        if not memory.uses_local_model:
            return None
        if not is_installed():
            report("model", "is not installed any more; `make demo` installs it")
            return None
        port = memory.model_port or next_free(FIRST_PORT)
        remember(self.folder.memory, model_port=port)
        return LocalModel(port)

    def _choose_bucket(self, memory: Memory) -> LocalBucket | None:
        if not memory.uses_local_bucket:
            return None
        if not local_bucket.is_installed():
            report("bucket", "is not installed any more; `make demo` installs it")
            return None
        port = memory.bucket_port or next_free(local_bucket.FIRST_PORT)
        remember(self.folder.memory, bucket_port=port)
        return LocalBucket(port)

    def _start(self, group: Sequence[Part]) -> None:
        self.running.append([])
        for part in group:
            if self.signals.stop_requests:
                raise Stopped
            part.start()
            self.running[-1].append(part)
            report(part.name, "started")

    def prepare(self, *command: str) -> None:
        """Run a command of manage.py to its end."""
        path = self.folder.log("setup")
        with path.open("wb") as log:
            child = process.spawn(
                [sys.executable, CODE / "manage.py", *command], env=self.environment, output=log, cwd=CODE
            )
        while child.poll() is None:
            if self.signals.stop_requests:
                child.kill()
                raise Stopped
            self.signals.wait(0.1)
        if child.returncode == 0:
            return
        if problems := wrong_settings_in(path):
            raise Trouble(problems)
        raise Trouble(f"`manage.py {command[0]}` failed (all of it in {path}): {last_line(path)}")

    def _wait_for(self, name: str, port: int, path: str) -> None:
        deadline = time.monotonic() + ANSWERS_WITHIN_S
        while not _answers(port, path):
            if time.monotonic() > deadline:
                raise Trouble(f"{name} did not answer within {ANSWERS_WITHIN_S} s; see {self.folder.path}/logs.")
            self.watch(until=lambda: True)
            if self.signals.stop_requests:
                raise Stopped

    def _see_off(self, part: Part, asked_before: int) -> None:
        begun = time.monotonic()
        told = False
        while part.is_running:
            waited = time.monotonic() - begun
            if self.signals.stop_requests > asked_before or waited > part.server.stop_within_s:
                part.insist()
            elif waited > PATIENCE_S and not told:
                told = True
                limit = f"{part.server.stop_within_s:.0f} s"
                say(f"  {part.name} ends what it has begun (at most {limit}). Stop once more to end it now.")
            self.signals.wait(0.1)
        report(part.name, "stopped")


def _answers(port: int, path: str) -> bool:
    """Whether something is said about ``path``; "not yet" (503) is no answer."""
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=2)
    try:
        connection.request("GET", path)
        return connection.getresponse().status != http.HTTPStatus.SERVICE_UNAVAILABLE
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
