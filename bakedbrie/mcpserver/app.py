"""The ASGI application at /mcp: stateless streamable HTTP with single JSON answers, for both eras of the protocol."""

from __future__ import annotations

import json
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import mcp_types as types
import pydantic_core
from mcp.server.streamable_http_manager import DEFAULT_MAX_REQUEST_BODY_SIZE, StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from bakedbrie.mcpserver.door import Answer, Call, Door
from bakedbrie.mcpserver.server import TURNED_AWAY, build_server

LOOPBACK = {"127.0.0.1", "localhost", "[::1]"}
BOTH_TYPES = (b"accept", b"application/json, text/event-stream")


class McpApp:
    """One per process; ``run()`` must span the life of the process."""

    def __init__(self, call: Call, *, app_url: str, version: str, more_hosts: tuple[str, ...] = ()) -> None:
        self._door = Door(call)
        self._manager = StreamableHTTPSessionManager(
            build_server(self._door, version=version),
            json_response=True,
            stateless=True,
            security_settings=security_settings(app_url, more_hosts),
        )

    def run(self) -> AbstractAsyncContextManager[None]:
        return self._manager.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        if scope["method"] != "POST":
            # The SDK would answer a stateless GET with a stream that stays silent for ever.
            return await Response(status_code=405, headers={"allow": "POST"})(scope, receive, send)
        if "authorization" not in headers and "x-api-key" not in headers:
            return await _send_answer(await self._door.check_token(headers), send)
        if problem := problem_of_headers(headers):
            return await problem.response()(scope, receive, send)
        body = await _read(scope, receive)
        if body is None:
            return None
        message = message_in(body)
        if isinstance(message, Problem):
            return await message.response()(scope, receive, send)
        turned_away: list[Answer] = []
        inner = {**scope, "headers": _headers_for_sdk(scope, message), TURNED_AWAY: turned_away}
        return await self._manager.handle_request(inner, _Replay(body, receive), _Replaceable(send, turned_away))


def security_settings(app_url: str, more_hosts: tuple[str, ...] = ()) -> TransportSecuritySettings:
    """Allow the instance's own address, and on a computer of one's own every loopback port."""
    url = urlsplit(app_url)
    hosts = [url.netloc, *more_hosts, *(f"{host}:*" for host in more_hosts)]
    if url.port is None:
        hosts.append(f"{url.netloc}:{443 if url.scheme == 'https' else 80}")
    if url.hostname in {"127.0.0.1", "localhost", "::1"}:
        hosts += [*LOOPBACK, *(f"{host}:*" for host in LOOPBACK)]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"{url.scheme}://{url.netloc}"])


@dataclass(frozen=True)
class Problem:
    """Why a request is no JSON-RPC request for us. The answer carries no id: some clients break on a null one."""

    status: int
    code: int
    message: str

    def response(self) -> Response:
        body = {"jsonrpc": "2.0", "error": {"code": self.code, "message": self.message}}
        return Response(json.dumps(body), status_code=self.status, media_type="application/json")


def problem_of_headers(headers: Headers) -> Problem | None:
    """A missing Accept and a wildcard take JSON, in whatever order; who only takes something else gets 406."""
    accepted = {part.partition(";")[0].strip().lower() for part in headers.get("accept", "*/*").split(",")}
    if not accepted & {"application/json", "application/*", "*/*"}:
        return Problem(406, types.INVALID_REQUEST, "Answers are application/json.")
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return Problem(415, types.INVALID_REQUEST, "Content-Type must be application/json.")
    return None


@dataclass(frozen=True)
class Envelope:
    """A request or notification, as far as the choice of headers asks."""

    method: str
    names_version: bool  # in its own _meta, as every message does from 2026-07-28 on


def message_in(body: bytes) -> Envelope | Problem:
    """Check the message before the SDK does, with its parser: it answers some with a null id, and ignores a null id."""
    if len(body) > DEFAULT_MAX_REQUEST_BODY_SIZE:
        return Problem(413, types.INVALID_REQUEST, "The request is too large.")
    try:
        message = pydantic_core.from_json(body)
    except ValueError:
        return Problem(400, types.PARSE_ERROR, "The body is not JSON.")
    if not isinstance(message, dict):
        return Problem(400, types.INVALID_REQUEST, "The body must be one JSON-RPC message; batches are not taken.")
    id_is_right = "id" not in message or (isinstance(message["id"], str | int) and not isinstance(message["id"], bool))
    method, params = message.get("method"), message.get("params")
    params_are_right = isinstance(params, dict | None)
    if message.get("jsonrpc") != "2.0" or not isinstance(method, str) or not id_is_right or not params_are_right:
        return Problem(400, types.INVALID_REQUEST, "The body is not a JSON-RPC 2.0 request or notification.")
    meta = params.get("_meta") if params else None
    return Envelope(method, names_version=isinstance(meta, dict) and types.PROTOCOL_VERSION_META_KEY in meta)


async def _read(scope: Scope, receive: Receive) -> bytes | None:
    """Return the body, one byte more than allowed at most, or None when the client left."""
    body = bytearray()
    try:
        async for chunk in Request(scope, receive).stream():
            body += chunk
            if len(body) > DEFAULT_MAX_REQUEST_BODY_SIZE:
                break
    except ClientDisconnect:
        return None
    return bytes(body)


def _headers_for_sdk(scope: Scope, message: Envelope) -> list[tuple[bytes, bytes]]:
    """Accept both types, as we checked; and no version on a handshake, where versions are only just negotiated."""
    is_handshake = message.method == "initialize" and not message.names_version
    left_out = {b"accept"} | ({b"mcp-protocol-version"} if is_handshake else set())
    return [*((name, value) for name, value in scope["headers"] if name not in left_out), BOTH_TYPES]


@dataclass
class _Replay:
    """Gives the body that was read already, then whatever comes."""

    body: bytes | None
    receive: Receive

    async def __call__(self) -> Message:
        if self.body is None:
            return await self.receive()
        message = {"type": "http.request", "body": self.body, "more_body": False}
        self.body = None
        return message


@dataclass
class _Replaceable:
    """Passes the SDK's answer on, unless the door turned the request away: then the door's answer goes out."""

    send: Send
    turned_away: list[Answer]
    is_replaced: bool = field(default=False, init=False)

    async def __call__(self, message: Message) -> None:
        if self.is_replaced:
            return
        if self.turned_away and message["type"] == "http.response.start":
            self.is_replaced = True
            await _send_answer(self.turned_away[0], self.send)
            return
        await self.send(message)


async def _send_answer(answer: Answer, send: Send) -> None:
    kept = {name: value for name, value in answer.headers.items() if name in PASSED_ON}
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in kept.items()]
    headers.append((b"content-length", str(len(answer.body)).encode()))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body})


PASSED_ON = ("content-type", "www-authenticate", "retry-after", "x-request-id")
