"""A real web server on a loopback socket, and the official MCP client connected to it."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import httpx2
import mcp_types as types
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION, MODERN_PROTOCOL_VERSIONS

T = TypeVar("T")

ERAS = ("legacy", "2026-07-28")
VERSIONS = (*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS)
UP_WITHIN_S = 30


@contextmanager
def served(app: Any, listener: socket.socket | None = None) -> Iterator[str]:
    """Serve an ASGI application while the block runs; gives its address."""
    # Found again by its number, a socket knows that it is TCP, and small answers are not held back for 40 ms.
    listener = socket.socket(fileno=(listener or socket.create_server(("127.0.0.1", 0))).detach())
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="on", timeout_graceful_shutdown=5))
    is_up = threading.Event()
    started = server.startup

    async def startup(sockets: list[socket.socket] | None = None) -> None:
        await started(sockets)
        is_up.set()

    server.startup = startup  # type: ignore[method-assign]
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        assert is_up.wait(UP_WITHIN_S), "The server did not start."
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(UP_WITHIN_S)
        listener.close()


class McpClient:
    """One client of one token, in one era or version of the protocol; ``auto`` discovers it.

    Each call is a session of its own, as the server's are.
    """

    def __init__(self, address: str, token: str, *, era: str = "2026-07-28", **headers: str) -> None:
        self.url = f"{address}/mcp"
        self.era = era
        self.headers = {"Authorization": f"Bearer {token}", **headers}

    def tools(self) -> list[types.Tool]:
        async def listed(client: Client) -> list[types.Tool]:
            return (await client.list_tools()).tools

        return self.run(listed)

    def call(self, name: str, /, **arguments: Any) -> types.CallToolResult:
        async def called(client: Client) -> types.CallToolResult:
            return await client.call_tool(name, arguments)

        return self.run(called)

    def answer(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """Return the body of a success or a refusal."""
        return body_of(self.call(name, **arguments))

    def run(self, work: Callable[[Client], Awaitable[T]]) -> T:
        async def session() -> T:
            async with (
                httpx2.AsyncClient(headers=self.headers, trust_env=False, transport=self._transport()) as http,
                Client(streamable_http_client(self.url, http_client=http), mode=mode) as client,
            ):
                return await work(client)

        mode: Any = "legacy" if self.era in HANDSHAKE_PROTOCOL_VERSIONS else self.era
        return asyncio.run(session())

    def _transport(self) -> httpx2.AsyncHTTPTransport:
        return Offering(self.era) if self.era in HANDSHAKE_PROTOCOL_VERSIONS else httpx2.AsyncHTTPTransport()


class Offering(httpx2.AsyncHTTPTransport):
    """Makes the client offer an older version than it would; all that follows it negotiates by itself."""

    def __init__(self, version: str) -> None:
        super().__init__()
        self._version = version

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = await request.aread()
        if b'"initialize"' in body:
            changed = body.replace(LATEST_HANDSHAKE_VERSION.encode(), self._version.encode())
            request = httpx2.Request(request.method, request.url, headers=request.headers, content=changed)
        return await super().handle_async_request(request)


def body_of(result: types.CallToolResult) -> dict[str, Any]:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    body: dict[str, Any] = json.loads(content.text)
    return body


def post(
    address: str, message: object, *, token: str | None = "bb_good", era: str = "legacy", **headers: str | None
) -> httpx2.Response:
    """Send one raw message to /mcp, as a client of the era would; a header given as None is left out."""
    given: dict[str, str | None] = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Authorization": f"Bearer {token}" if token else None,
        **(modern_headers(message) if era != "legacy" else {}),
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    sent = {name: value for name, value in given.items() if value is not None}
    content = message if isinstance(message, bytes) else json.dumps(message).encode()
    with httpx2.Client(trust_env=False) as client:
        if "Accept" not in sent:
            client.headers.pop("accept")
        return client.post(f"{address}/mcp", content=content, headers=sent)


def rpc(
    method: str, params: Mapping[str, Any] | None = None, *, call_id: object = 1, era: str = "legacy"
) -> dict[str, Any]:
    """Return one JSON-RPC request."""
    sent: dict[str, Any] = dict(params or {})
    if era != "legacy":
        sent["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": era,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    return {"jsonrpc": "2.0", "id": call_id, "method": method, **({"params": sent} if sent else {})}


def modern_headers(message: object) -> dict[str, str]:
    if not isinstance(message, dict):
        return {"MCP-Protocol-Version": "2026-07-28"}
    named = {"Mcp-Name": message["params"]["name"]} if message.get("method") == "tools/call" else {}
    return {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": str(message.get("method")), **named}
