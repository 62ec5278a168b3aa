"""Work on an install that is not running: its lock, its Postgres and its Valkey, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from bakedbrie.embedded.data_folder import DataFolder
from bakedbrie.embedded.environment import for_django
from bakedbrie.embedded.signals import Signals
from bakedbrie.embedded.supervisor import Stopped, Supervisor
from bakedbrie.embedded.system_user import unprivileged_user
from bakedbrie.embedded.trouble import Trouble


@contextmanager
def stores_only(folder: DataFolder, signals: Signals) -> Iterator[Supervisor]:
    """Run Postgres and Valkey while the block runs. Whoever calls this holds the lock of the install."""
    supervisor = Supervisor(folder, signals, unprivileged_user(may_create=True))
    supervisor.environment = for_django(folder, os.environ)
    try:
        supervisor.start_stores()
        yield supervisor
    except Stopped:
        raise Trouble("Stopped before it was done.") from None
    finally:
        supervisor.stop()


@contextmanager
def at_rest(folder: DataFolder) -> Iterator[Supervisor]:
    """The stores of an install that was made before and does not run; refuses otherwise."""
    require_install(folder)
    folder.make()
    with folder.locked(), Signals() as signals, stores_only(folder, signals) as supervisor:
        yield supervisor


def require_install(folder: DataFolder) -> None:
    if not folder.is_install:
        raise Trouble(f"There is no install on {folder.path}. Name its data folder in BAKEDBRIE_DATA.")


def run_to_its_end(supervisor: Supervisor, *command: str) -> int:
    """Run a command of manage.py on this terminal and return its status; a request to stop ends it."""
    process = supervisor.command(*command)
    supervisor.watch(until=lambda: process.poll() is not None)
    if process.poll() is None:
        process.terminate()
        process.wait()
        raise Stopped
    return process.returncode
