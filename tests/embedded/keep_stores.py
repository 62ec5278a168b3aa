"""Run as a process: the real supervisor with Postgres and Valkey alone, on BAKEDBRIE_DATA."""

from __future__ import annotations

import sys

from bakedbrie.embedded.data_folder import DataFolder
from bakedbrie.embedded.signals import Signals
from bakedbrie.embedded.supervisor import Supervisor
from bakedbrie.embedded.system_user import unprivileged_user
from bakedbrie.embedded.terminal import say
from bakedbrie.embedded.trouble import Trouble


def main() -> None:
    folder = DataFolder.here()
    folder.make()
    with folder.locked(), Signals() as signals:
        supervisor = Supervisor(folder, signals, unprivileged_user(may_create=False))
        try:
            supervisor.start_stores()
            postgres, valkey = (group[0].server.process for group in supervisor.running)
            assert postgres is not None
            assert valkey is not None
            say(f"ready {postgres.pid} {valkey.pid}")
            supervisor.watch()
        finally:
            supervisor.stop()


if __name__ == "__main__":
    try:
        main()
    except Trouble as trouble:
        sys.exit(str(trouble))
