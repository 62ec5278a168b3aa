"""The streamed answers of the fake provider, event by event, on all three wires."""

from __future__ import annotations

import json
from collections.abc import Iterator

READ, WRITTEN = 1200, 300
DONE = b"data: [DONE]\n\n"
RESPONSE_USAGE: dict[str, object] = {
    "input_tokens": READ,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": WRITTEN,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": READ + WRITTEN,
}
COMPLETION_USAGE = {"prompt_tokens": READ, "completion_tokens": WRITTEN, "total_tokens": READ + WRITTEN}
KEEP_ALIVE = {
    "anthropic": b'event: ping\ndata: {"type": "ping"}\n\n',
    "openai": b": keep-alive\n\n",
    "openai_compatible": b": keep-alive\n\n",
}


def pieces_of(text: str, size: int = 7) -> list[str]:
    """Cut a text as a model writes it."""
    return [text[start : start + size] for start in range(0, len(text), size)]


def stream_of(wire: str, text: str, *, stop: str = "") -> list[bytes]:
    """Return the events of a whole answer, in their order; ``stop`` is the wire's own word for why it stopped."""
    events = {"anthropic": _message, "openai": _response, "openai_compatible": _completion}[wire]
    return list(events(text, stop))


def late_error(wire: str) -> bytes:
    """Return the event that says, within an answer with status 200, that the provider is overloaded."""
    if wire == "anthropic":
        return _named({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    if wire == "openai":
        fields = {"code": "server_overloaded", "message": "Overloaded", "param": None, "sequence_number": 9}
        return _named({"type": "error", **fields})
    return _plain({"error": {"message": "Overloaded", "type": "overloaded_error", "code": 503}})


def _named(event: dict[str, object]) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


def _plain(event: dict[str, object]) -> bytes:
    return f"data: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


def _message(text: str, stop: str) -> Iterator[bytes]:
    usage = {"input_tokens": READ, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1}
    start: dict[str, object] = {
        "id": "msg_fake_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5-5",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    yield _named({"type": "message_start", "message": start})
    yield KEEP_ALIVE["anthropic"]
    if text:
        yield _named({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
        for piece in pieces_of(text):
            delta = {"type": "text_delta", "text": piece}
            yield _named({"type": "content_block_delta", "index": 0, "delta": delta})
        yield _named({"type": "content_block_stop", "index": 0})
    end = {"stop_reason": stop or "end_turn", "stop_sequence": None}
    yield _named({"type": "message_delta", "delta": end, "usage": {"output_tokens": WRITTEN}})
    yield _named({"type": "message_stop"})


def _response(text: str, stop: str) -> Iterator[bytes]:
    item = {"id": "msg_fake_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
    part: dict[str, object] = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    done_item = {**item, "status": "completed", "content": [part]}
    response = _response_head()
    end: dict[str, object] = {
        **response,
        "status": "incomplete" if stop else "completed",
        "incomplete_details": {"reason": stop} if stop else None,
        "output": [done_item] if text else [],
        "usage": RESPONSE_USAGE,
    }
    events: list[dict[str, object]] = [
        {"type": "response.created", "response": response},
        {"type": "response.in_progress", "response": response},
    ]
    if text:
        events.append({"type": "response.output_item.added", "output_index": 0, "item": item})
        events += _part_events(text, part)
        events.append({"type": "response.output_item.done", "output_index": 0, "item": done_item})
    events.append({"type": f"response.{end['status']}", "response": end})
    for number, event in enumerate(events):
        yield _named({**event, "sequence_number": number})


def _response_head() -> dict[str, object]:
    return {
        "id": "resp_fake_1",
        "object": "response",
        "created_at": 1,
        "model": "gpt-6.1-sol",
        "status": "in_progress",
        "incomplete_details": None,
        "error": None,
        "output": [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def _part_events(text: str, part: dict[str, object]) -> Iterator[dict[str, object]]:
    at: dict[str, object] = {"item_id": "msg_fake_1", "output_index": 0, "content_index": 0}
    yield {"type": "response.content_part.added", **at, "part": {**part, "text": ""}}
    for piece in pieces_of(text):
        yield {"type": "response.output_text.delta", **at, "delta": piece, "logprobs": []}
    yield {"type": "response.output_text.done", **at, "text": text, "logprobs": []}
    yield {"type": "response.content_part.done", **at, "part": part}


def _completion(text: str, stop: str) -> Iterator[bytes]:
    head = {"id": "chatcmpl-fake-1", "object": "chat.completion.chunk", "created": 1, "model": "local-model"}
    deltas: list[dict[str, object]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": piece} for piece in pieces_of(text)]
    for delta in deltas:
        yield _plain({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}], "usage": None})
    last = {"index": 0, "delta": {}, "finish_reason": stop or "stop"}
    yield _plain({**head, "choices": [last], "usage": None})
    yield _plain({**head, "choices": [], "usage": COMPLETION_USAGE})
    yield DONE
