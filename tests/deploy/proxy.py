"""A small reverse proxy on a real socket: one path leads to BakedBrie, everything else to a neighbour."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "upgrade", "te", "trailer"}
_CHUNK_BYTES = 65536


class Proxy:
    """``strips``: whether the path is taken off on the way in. ``strayed`` keeps what was asked of the neighbour."""

    def __init__(self, base: str, *, strips: bool) -> None:
        self.base = base
        self.strips = strips
        self.upstream_port = 0
        self.strayed: list[str] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def is_ours(self, path: str) -> bool:
        """Whether a path leads to BakedBrie: below its own, or where assistants look at the root of the host."""
        is_named = path.startswith("/.well-known/oauth-") and self.base in path
        return is_named or path.startswith(f"{self.base}/")

    @property
    def app_url(self) -> str:
        return self.origin + self.base


@contextmanager
def proxying(base: str, *, strips: bool) -> Iterator[Proxy]:
    proxy = Proxy(base, strips=strips)
    thread = threading.Thread(target=proxy.server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield proxy
    finally:
        proxy.server.shutdown()
        thread.join()
        proxy.server.server_close()


def _handler_of(proxy: Proxy) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == proxy.base:
                self.send_response_only(308)
                self.send_header("Location", f"{proxy.base}/")
                self.end_headers()
                return
            if proxy.is_ours(self.path):
                self._pass_on(self.path.removeprefix(proxy.base) if proxy.strips else self.path)
            else:
                proxy.strayed.append(self.path)
                self.send_error(404)

        do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_GET

        def _pass_on(self, path: str) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP_BY_HOP}
            connection = http.client.HTTPConnection("127.0.0.1", proxy.upstream_port, timeout=30)
            try:
                connection.request(self.command, path, body or None, headers)
                answer = connection.getresponse()
                self.send_response_only(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in _HOP_BY_HOP:
                        self.send_header(name, value)
                self.end_headers()
                while chunk := answer.read1(_CHUNK_BYTES):
                    self.wfile.write(chunk)
            except ConnectionError:
                return  # the browser left, or BakedBrie stopped
            finally:
                connection.close()

        def log_message(self, format: str, *args: object) -> None:
            return

    return Handler
