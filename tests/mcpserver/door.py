"""A stand-in for the REST door, so that the protocol can be tried without a database."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bakedbrie.mcpserver.app import McpApp
from bakedbrie.mcpserver.door import Answer

ECHO = {
    "name": "echo",
    "title": "Echo",
    "description": "Gives back what it was given.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "additionalProperties": False},
    "annotations": {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    },
}
UNAUTHENTICATED = {"error": {"code": "UNAUTHENTICATED", "message": "No."}, "request_id": "r-1"}


class StandIn:
    """Knows the token bb_good and the tools echo and broken; keeps every request it was given."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, Mapping[str, str], bytes]] = []

    async def call(self, method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> Answer:
        self.requests.append((method, path, headers, body))
        if headers.get("authorization") != "Bearer bb_good":
            return answer(401, UNAUTHENTICATED, **{"www-authenticate": "Bearer"})
        if path == "/api/v1/token":
            return Answer(status=204)
        if path == "/api/v1/tools":
            return answer(200, {"tools": [ECHO]})
        if path == "/api/v1/tools/echo":
            return answer(200, {"untrusted_data": json.loads(body), "request_id": "r-1"})
        if path == "/api/v1/tools/broken":
            return Answer(status=500, headers={"content-type": "text/html"}, body=b"<h1>Server Error</h1>")
        return answer(404, {"error": {"code": "NOT_FOUND", "message": "Nothing.", "fix": "Look."}, "request_id": "r-1"})

    @property
    def paths(self) -> list[str]:
        return [path for _, path, _, _ in self.requests]


class StandInSite:
    """The MCP application with a life, as a web server wants it."""

    def __init__(self, app_url: str = "http://127.0.0.1:8000") -> None:
        self.door = StandIn()
        self.mcp = McpApp(self.door.call, app_url=app_url, version="0.1.0")

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "lifespan":
            await self.mcp(scope, receive, send)
            return
        await receive()
        async with self.mcp.run():
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})


def answer(status: int, body: object, **headers: str) -> Answer:
    return Answer(
        status=status, headers={"content-type": "application/json", **headers}, body=json.dumps(body).encode()
    )
