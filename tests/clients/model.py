"""A model on loopback that asks for one tool, and is content with whatever it is told."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tests.support.fake_service import FakeService, Received, Script, answering, streaming
from tests.support.fake_streams import stream_of

WANTED = "whoami"
SSE = {"Content-Type": "text/event-stream"}


class Model(FakeService):
    """Speaks the wires of Claude Code and of Codex. ``results`` are what the tool answered, as the model was told."""

    def __init__(self) -> None:
        super().__init__()
        self.results: list[str] = []
        self.tools: set[tuple[str, str]] = set()  # namespace and name
        self.handle_with(self._choose)

    def _choose(self, request: Received) -> Script:
        path = request.path.partition("?")[0]
        if request.method != "POST" or not path.endswith(("/messages", "/responses")):
            return answering(
                200 if path.endswith("/models") else 404, json={"object": "list", "data": [], "models": []}
            )
        asked: Any = request.json()
        wire = "anthropic" if path.endswith("/messages") else "openai"
        tools = list(_tools(asked.get("tools") or []))
        self.tools.update(tools)
        told = _told(asked.get("messages") or asked.get("input") or [])
        self.results += told
        wanted = next((tool for tool in tools if tool[1].endswith(WANTED)), None)
        if wanted is None or told:
            return streaming(stream_of(wire, "Done."), headers=SSE)
        events = _message_call(wanted[1]) if wire == "anthropic" else _response_call(*wanted)
        return streaming([_sse(event) for event in events], headers=SSE)


def _tools(listed: Iterable[dict[str, Any]], space: str = "") -> Iterable[tuple[str, str]]:
    """Codex lists the tools of a server within a namespace."""
    for tool in listed:
        if tool.get("type") == "namespace":
            yield from _tools(tool["tools"], tool["name"])
        elif tool.get("name"):
            yield space, tool["name"]


def _told(messages: list[Any]) -> list[str]:
    """Return what tools answered in the last message."""
    last = messages[-1] if messages and isinstance(messages[-1], dict) else {}
    if last.get("type") == "function_call_output":
        return [json.dumps(last["output"])]
    content = last.get("content")
    blocks = content if isinstance(content, list) else []
    return [json.dumps(block["content"]) for block in blocks if block.get("type") == "tool_result"]


def _message_call(name: str) -> list[dict[str, Any]]:
    usage = {"input_tokens": 1, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "fake", "content": [], "usage": usage}
    block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": {}}
    return [
        {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]


def _response_call(space: str, name: str) -> list[dict[str, Any]]:
    item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": name, "arguments": "{}"}
    item |= {"status": "completed", **({"namespace": space} if space else {})}
    usage: dict[str, Any] = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    response = {"id": "resp_1", "object": "response", "created_at": 1, "model": "fake"}
    return [
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {
            "type": "response.completed",
            "response": {**response, "status": "completed", "output": [item], "usage": usage},
        },
    ]


def _sse(event: dict[str, Any]) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
