"""A fake AI provider on a real socket. It speaks all three wires, and counts what it is asked.

`streams` and `answers` build scripts; the official clients judge them in tests/agents/test_fake_provider.py. Without a
script it lists its models and answers each call with ``Finished work.``, streamed when that is what was asked.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping

from tests.support.fake_service import End, FakeService, Received, Script, Wire, answering, dropping, streaming
from tests.support.fake_streams import COMPLETION_USAGE, READ, RESPONSE_USAGE, WRITTEN, stream_of

MODELS = ("claude-sonnet-5-5", "gpt-6.1-sol", "local-model")
TEXT = "Finished work."
_ASKS = {"/v1/messages": "anthropic", "/responses": "openai", "/chat/completions": "openai_compatible"}


class FakeProvider(FakeService):
    """`calls` are the requests that would have cost money; key checks are not among them."""

    def __init__(self) -> None:
        super().__init__()
        self.handle_with(self._choose)

    @property
    def calls(self) -> list[Received]:
        return [request for request in self.requests if request.path.endswith(tuple(_ASKS))]

    def wait_for_calls(self, count: int) -> None:
        """Wait until ``count`` requests of any kind have been read whole; key checks count here."""
        self.wait_for_requests(count)

    def reply(self, text: str = TEXT, *, wire: str = "anthropic", stop: str = "") -> None:
        """Stream this text as the answer to the next request."""
        self.script(streams(wire, text, stop=stop))

    def _choose(self, request: Received) -> Script:
        path = request.path.partition("?")[0]
        if path.endswith("/models"):
            return answering(json=models())
        wire = next((word for end, word in _ASKS.items() if path.endswith(end)), None)
        if wire is None:
            return answering(404, json={"error": {"message": "no such path", "type": "invalid_request_error"}})
        asked = request.json()
        return streams(wire) if isinstance(asked, dict) and asked.get("stream") else answers(wire)


class Late:
    """A script that answers when it is told to, and not before."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._may_answer = threading.Event()

    def __call__(self, wire: Wire) -> bool:
        while not self._may_answer.wait(0.02):
            if wire.is_stopping:
                return False
        return self._script(wire)

    def answer_now(self) -> None:
        self._may_answer.set()


drop_connection: Script = dropping


def models() -> dict[str, object]:
    """The list of models, as all three wires write it."""
    entries = [
        {
            "id": name,
            "object": "model",
            "type": "model",
            "created": 1,
            "owned_by": "fake",
            "display_name": name,
            "created_at": "2026-01-01T00:00:00Z",
        }
        for name in MODELS
    ]
    return {"object": "list", "data": entries, "has_more": False, "first_id": MODELS[0], "last_id": MODELS[-1]}


def answers(wire: str, text: str = TEXT, *, stop: str = "", headers: Mapping[str, str] | None = None) -> Script:
    """A whole answer with ``text``; ``stop`` is the wire's own word for why the model stopped."""
    body = {
        "anthropic": _message(text, stop or "end_turn"),
        "openai": _response(text, stop),
        "openai_compatible": _completion(text, stop or "stop"),
    }[wire]
    return answering(json=body, headers={**_request_id(wire), **(headers or {})})


def streams(
    wire: str, text: str = TEXT, *, stop: str = "", events: Iterable[bytes] | None = None, end: End = End.PROPER
) -> Script:
    """The same as a stream, or ``events`` instead of it."""
    headers = {"Content-Type": "text/event-stream; charset=utf-8", **_request_id(wire)}
    chunks = stream_of(wire, text, stop=stop) if events is None else events
    return streaming(chunks, headers=headers, end=end)


def _request_id(wire: str) -> dict[str, str]:
    return {"request-id" if wire == "anthropic" else "x-request-id": "req_fake_1"}


def fails(status: int, body: object, headers: Mapping[str, str] | None = None) -> Script:
    """An error answer."""
    return answering(status, json=body, headers=headers)


OVERLOADED: Script = fails(529, {"type": "error", "error": {"type": "overloaded_error", "message": "later"}})


def _message(text: str, stop: str) -> dict[str, object]:
    return {
        "id": "msg_fake_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5-5",
        "content": [{"type": "text", "text": text}] if text else [],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {
            "input_tokens": READ,
            "output_tokens": WRITTEN,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        },
    }


def _response(text: str, stop: str) -> dict[str, object]:
    item = {
        "id": "msg_fake_1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    }
    return {
        "id": "resp_fake_1",
        "object": "response",
        "created_at": 1,
        "model": "gpt-6.1-sol",
        "status": "incomplete" if stop else "completed",
        "incomplete_details": {"reason": stop} if stop else None,
        "error": None,
        "output": [item] if text else [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": RESPONSE_USAGE,
    }


def _completion(text: str, stop: str) -> dict[str, object]:
    return {
        "id": "chatcmpl-fake-1",
        "object": "chat.completion",
        "created": 1,
        "model": "local-model",
        "choices": [{"index": 0, "finish_reason": stop, "message": {"role": "assistant", "content": text}}],
        "usage": COMPLETION_USAGE,
    }
