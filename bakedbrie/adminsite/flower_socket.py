"""Where Flower listens, how it is started, and one request to it.

It listens on a Unix socket in a folder that only the account of the web processes enters: whoever reaches it has come
through the admin. It has no sign-in of its own.
"""

from __future__ import annotations

import http.client
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.urls import reverse

ANSWER_WITHIN_S = 10
MOST_BYTES = 20_000_000
PASSED_ON = ("Content-Type", "Cache-Control", "Etag", "Last-Modified", "Location")


class Away(Exception):
    """Flower does not run, or does not answer."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes


def socket_path() -> Path:
    return Path(settings.DATA) / "flower" / "socket"


def flower_arguments() -> list[str]:
    """Return what follows `celery`. A page that refreshes itself would keep a web thread busy for each reader."""
    prefix = reverse("admin:flower").strip("/")
    options = [f"--unix_socket={socket_path()}", f"--url_prefix={prefix}", "--auto_refresh=False"]
    return ["--app", "bakedbrie", "flower", *options]


def ask(method: str, target: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Answer:
    """Send one request and return the answer. Raises `Away`."""
    connection = _UnixConnection(socket_path())
    try:
        connection.request(method, target, body=body, headers=dict(headers))
        response = connection.getresponse()
        read = response.read(MOST_BYTES)
    except (OSError, http.client.HTTPException) as error:
        raise Away from error
    finally:
        connection.close()
    kept = {name: value for name in PASSED_ON if (value := response.getheader(name)) is not None}
    return Answer(status=response.status, headers=kept, body=read)


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("flower", timeout=ANSWER_WITHIN_S)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))
