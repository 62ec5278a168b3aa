"""An instance that a test breaks, the doctor that looks at it, and a proxy that does its work badly."""

from __future__ import annotations

import http.client
import json
import os
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]


def manage(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command of manage.py in this environment alone."""
    given = {"PATH": os.environ["PATH"], **environment}
    command = [sys.executable, "-W", "ignore", "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, check=False, timeout=120)


class Visit:
    """What the doctor said in one run: its exit status, and each finding by its id."""

    def __init__(self, environment: dict[str, str]) -> None:
        ended = manage(environment, "doctor", "--json")
        assert ended.stdout, ended.stderr
        told = json.loads(ended.stdout)
        self.status = ended.returncode
        self.is_well: bool = told["ok"]
        self.findings: dict[str, dict[str, str]] = {finding["id"]: finding for finding in told["findings"]}
        self.text = ended.stdout + ended.stderr

    def state(self, id: str) -> str:
        return self.findings[id]["state"]

    def wrong(self) -> set[str]:
        return {id for id, finding in self.findings.items() if finding["state"] == "wrong"}

    def skipped(self) -> set[str]:
        return {id for id, finding in self.findings.items() if finding["state"] == "skipped"}

    def says(self, id: str) -> str:
        return self.findings[id]["says"]


@contextmanager
def proxy(
    to: str = "", *, tls: ssl.SSLContext | None = None, host: str = "", proto: str = "", location: str = ""
) -> Iterator[int]:
    """Pass requests on to ``to``, with another Host or an X-Forwarded-Proto where given; else answer alone."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = self._passed_on() if to else (302 if location else 200, b"another program")
            self.send_response(status)
            if location:
                self.send_header("Location", location)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _passed_on(self) -> tuple[int, bytes]:
            headers = {"Host": host or self.headers["Host"]} | ({"X-Forwarded-Proto": proto} if proto else {})
            connection = http.client.HTTPConnection(urlsplit(to).netloc, timeout=30)
            connection.request("GET", self.path, headers=headers)
            answer = connection.getresponse()
            status, body = answer.status, answer.read()
            connection.close()
            return status, body

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()
