"""Anthropic's Messages API."""

from __future__ import annotations

from agents.providers import base
from agents.providers.base import Ask, Events, Reply, Usage, get, text_of, tokens_of
from agents.providers.errors import code_of, read_error
from agents.providers.outcomes import AiCode
from bakedbrie.lib.outbound.messages import Answer, Headers, Request, find_header
from bakedbrie.lib.outbound.urls import join

_HEADERS: Headers = (("anthropic-version", "2023-06-01"),)
_STOPS: dict[str, AiCode] = {
    "max_tokens": AiCode.CUT_SHORT,
    "model_context_window_exceeded": AiCode.CUT_SHORT,
    "refusal": AiCode.REFUSED,
}
_ENDS = frozenset({"end_turn", "stop_sequence"})


class Anthropic:
    key_header = "x-api-key"
    key_prefix = ""
    base_url = "https://api.anthropic.com"
    model = "claude-sonnet-5-5"
    context_tokens = 200_000
    answer_tokens = 16_000
    takes_images = True

    def ask(self, ask: Ask) -> Request:
        body = {
            "model": ask.model,
            "max_tokens": ask.answer_tokens,
            "system": ask.system,
            "messages": [{"role": "user", "content": _content(ask)}],
            "stream": True,
        }
        return base.json_request(join(ask.base_url, "/v1/messages"), body, _HEADERS, ask.timeout_s)

    def check(self, base_url: str, timeout_s: float) -> Request:
        return base.list_request(join(base_url, "/v1/models?limit=1000"), _HEADERS, timeout_s)

    def events(self, headers: Headers) -> Events:
        return _Events(find_header(headers, "request-id") or "")

    def read(self, answer: Answer) -> Reply:
        body = base.body_of(answer)
        request_id = answer.header("request-id") or text_of(body, "request_id")
        if answer.status != 200:
            return read_error(answer, base.label(request_id, 120))
        return _reply(body, request_id)


def _content(ask: Ask) -> object:
    if not ask.images:
        return ask.text
    sources = [{"type": "base64", "media_type": one.media_type, "data": one.base64} for one in ask.images]
    return [*({"type": "image", "source": source} for source in sources), {"type": "text", "text": ask.text}]


class _Events:
    """``message_stop`` ends an answer. The counts in ``message_delta`` are the final ones, the earlier are a guess."""

    def __init__(self, request_id: str) -> None:
        self.is_whole = False
        self._request_id = request_id
        self._error: dict[str, object] | None = None
        self._blocks: list[object] = []
        self._stop = ""
        self._usage: dict[str, object] = {}
        self._is_counted = False

    def take(self, event: dict[str, object]) -> str:
        kind = text_of(event, "type")
        if kind == "message_start":
            self._count(get(event, "message", "usage"))
        elif kind == "content_block_start":
            return self._write(get(event, "content_block"), "text")
        elif kind == "content_block_delta":
            return self._write(get(event, "delta"), "text_delta")
        elif kind == "message_delta":
            self._stop = text_of(event, "delta", "stop_reason") or self._stop
            self._count(get(event, "usage"))
            self._is_counted = True
        elif kind == "message_stop":
            self.is_whole = True
        elif kind == "error":
            self._error, self.is_whole = event, True
        return ""

    def end(self) -> None:
        """Nothing but its own last event ends an answer."""

    def reply(self) -> Reply:
        if self._error is not None:
            return _reply(self._error, self._request_id or text_of(self._error, "request_id"))
        body: dict[str, object] = {"type": "message", "content": self._blocks, "stop_reason": self._stop}
        return _reply({**body, "usage": self._usage}, self._request_id)

    def usage(self) -> Usage | None:
        return _usage({"usage": self._usage}) if self._is_counted else None

    def _write(self, part: object, kind: str) -> str:
        text = text_of(part, "text") if get(part, "type") == kind else ""
        if text:
            self._blocks.append({"type": "text", "text": text})
        return text

    def _count(self, usage: object) -> None:
        if isinstance(usage, dict):
            self._usage |= {name: count for name, count in usage.items() if count is not None}


def _reply(body: dict[str, object] | None, request_id: str) -> Reply:
    """Say what the body of an answer with status 200 means."""
    request_id = base.label(request_id, 120)
    if body is None or get(body, "type") != "message":
        code = code_of(body, 200) if get(body, "type") == "error" else AiCode.ANSWER_UNREADABLE
        return Reply(code=code, request_id=request_id, http_status=200)
    blocks = base.items_of(body.get("content"))
    text = base.storable("".join(text_of(block, "text") for block in blocks if get(block, "type") == "text"))
    stop = text_of(body, "stop_reason")
    return Reply(
        code=base.finished(text) if stop in _ENDS else _STOPS.get(stop, AiCode.ANSWER_UNREADABLE),
        text=text,
        stop_reason=base.label(stop, 40),
        usage=_usage(body),
        request_id=request_id,
        http_status=200,
    )


def _usage(body: dict[str, object]) -> Usage | None:
    """Anthropic counts cached parts beside the rest of the prompt, not in it."""
    fresh = tokens_of(body, "usage", "input_tokens")
    cache_read = tokens_of(body, "usage", "cache_read_input_tokens")
    cache_written = tokens_of(body, "usage", "cache_creation_input_tokens")
    read = None if fresh is None else fresh + (cache_read or 0) + (cache_written or 0)
    return base.usage_of(read, tokens_of(body, "usage", "output_tokens"), cache_read, cache_written)
