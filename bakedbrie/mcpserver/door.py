"""The REST door as the MCP server sees it: it is handed a way to call it, and never learns what stands behind."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import quote

FORWARDED = ("authorization", "x-api-key", "x-request-id", "host", "user-agent")


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the door answered, byte for byte."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


class Call(Protocol):
    """Does one request in process."""

    async def __call__(self, method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> Answer: ...


class Door:
    """The three requests that the MCP server makes."""

    def __init__(self, call: Call, *, root: str = "/api/v1") -> None:
        self._call = call
        self._root = root

    async def check_token(self, headers: Mapping[str, str]) -> Answer:
        """204 while the token is good."""
        return await self._call("GET", f"{self._root}/token", _forwarded(headers))

    async def list_tools(self, headers: Mapping[str, str]) -> Answer:
        return await self._call("GET", f"{self._root}/tools", _forwarded(headers))

    async def call_tool(self, headers: Mapping[str, str], name: str, arguments: Mapping[str, Any]) -> Answer:
        body = json.dumps(arguments).encode()
        path = f"{self._root}/tools/{quote(name, safe='')}"
        return await self._call("POST", path, {**_forwarded(headers), "content-type": "application/json"}, body)


def _forwarded(headers: Mapping[str, str]) -> dict[str, str]:
    return {"accept": "application/json"} | {name: headers[name] for name in FORWARDED if name in headers}
