"""Anthropic's Messages API."""

from __future__ import annotations

from agents.providers import base
from agents.providers.base import Ask, Reply, Usage, get, text_of, tokens_of
from agents.providers.errors import code_of, read_error
from agents.providers.outcomes import AiCode
from bakedbrie.lib.outbound.messages import Answer, Headers, Request
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

    def ask(self, ask: Ask) -> Request:
        body = {
            "model": ask.model,
            "max_tokens": ask.answer_tokens,
            "system": ask.system,
            "messages": [{"role": "user", "content": ask.text}],
        }
        return base.json_request(join(ask.base_url, "/v1/messages"), body, _HEADERS, ask.timeout_s)

    def check(self, base_url: str, timeout_s: float) -> Request:
        return base.list_request(join(base_url, "/v1/models?limit=1000"), _HEADERS, timeout_s)

    def read(self, answer: Answer) -> Reply:
        body = base.body_of(answer)
        request_id = base.label(answer.header("request-id") or text_of(body, "request_id"), 120)
        if answer.status != 200:
            return read_error(answer, request_id)
        if body is None or get(body, "type") != "message":
            code = code_of(body, 200) if get(body, "type") == "error" else AiCode.ANSWER_UNREADABLE
            return Reply(code=code, request_id=request_id, http_status=200)
        blocks = base.items_of(body.get("content"))
        text = base.storable("".join(text_of(block, "text") for block in blocks if get(block, "type") == "text"))
        stop = text_of(body, "stop_reason")
        code = base.finished(text) if stop in _ENDS else _STOPS.get(stop, AiCode.ANSWER_UNREADABLE)
        return Reply(
            code=code,
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
