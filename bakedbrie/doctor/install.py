"""The embedded install: whether it runs, and whether its port is free when it does not."""

from __future__ import annotations

import socket

from django.conf import settings

from bakedbrie.doctor.finding import Finding, ok, wrong
from bakedbrie.embedded import postgres
from bakedbrie.embedded.data_folder import DataFolder
from bakedbrie.embedded.environment import FIRST_WEB_PORT
from bakedbrie.embedded.memory import recall
from bakedbrie.embedded.ports import LOOPBACK


def check_install(id: str) -> Finding:
    folder = DataFolder(settings.DATA)
    if settings.DATABASES["default"]["HOST"] != str(postgres.socket_folder_of(folder.postgres)):
        return ok(id, "This is no embedded install: database and broker are your own.")
    holder = folder.holder()
    if holder is not None:
        return ok(id, f"The embedded install runs (process {holder}).")
    port = recall(folder.memory).web_port or FIRST_WEB_PORT
    if _is_taken(port):
        fix = (
            f"Stop the program that listens on port {port} (`ss -ltnp`), then `make up`. Otherwise BakedBrie takes the "
            "next free port, and links and assistants still point to the old one."
        )
        return wrong(id, f"BakedBrie does not run, and another program has its port {port}.", fix)
    return wrong(id, f"BakedBrie does not run on {folder.path}; its port {port} is free.", "Run `make up`.")


def _is_taken(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return True
    return False
