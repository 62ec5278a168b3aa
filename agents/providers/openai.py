"""OpenAI's Responses API."""

from __future__ import annotations

from agents.providers import base
from agents.providers.base import Ask, Events, Reply, Usage, get, text_of, tokens_of
from agents.providers.errors import code_of
from agents.providers.openai_wire import OpenAiWire
from agents.providers.outcomes import AiCode
from bakedbrie.lib.outbound.messages import Request
from bakedbrie.lib.outbound.urls import join

_LAST = frozenset({"response.completed", "response.incomplete", "response.failed"})
_INCOMPLETE: dict[str, AiCode] = {"max_output_tokens": AiCode.CUT_SHORT, "content_filter": AiCode.REFUSED}


class OpenAi(OpenAiWire):
    base_url = "https://api.openai.com/v1"
    model = "gpt-6.1-sol"
    context_tokens = 200_000
    answer_tokens = 16_000
    takes_images = True

    def ask(self, ask: Ask) -> Request:
        body = {
            "model": ask.model,
            "instructions": ask.system,
            "input": _input(ask),
            "max_output_tokens": ask.answer_tokens,
            "store": False,  # the provider keeps no copy for its dashboard
            "stream": True,
        }
        return base.json_request(join(ask.base_url, "/responses"), body, (), ask.timeout_s)

    def _events(self, request_id: str) -> Events:
        return _Events(request_id)

    def _reply(self, body: dict[str, object] | None, request_id: str) -> Reply:
        return _reply(body, request_id)


def _input(ask: Ask) -> object:
    if not ask.images:
        return ask.text
    urls = [f"data:{one.media_type};base64,{one.base64}" for one in ask.images]
    parts: list[dict[str, str]] = [{"type": "input_image", "image_url": url, "detail": "auto"} for url in urls]
    return [{"role": "user", "content": [*parts, {"type": "input_text", "text": ask.text}]}]


class _Events:
    """The last event holds the whole response once more, with its counts."""

    def __init__(self, request_id: str) -> None:
        self.is_whole = False
        self._request_id = request_id
        self._body: dict[str, object] | None = None
        self._texts: list[str] = []

    def take(self, event: dict[str, object]) -> str:
        kind = text_of(event, "type")
        response = get(event, "response")
        if kind == "response.output_text.delta":
            text = text_of(event, "delta")
            self._texts.append(text)
            return text
        if kind in _LAST and isinstance(response, dict):
            self._body, self.is_whole = response, True
        elif kind == "error":  # the error is the event itself, or stands in it as in an answer that failed at once
            self._body, self.is_whole = (event if get(event, "error") else {"error": event}), True
        return ""

    def end(self) -> None:
        """Nothing but its own last event ends a response."""

    def reply(self) -> Reply:
        body = self._body
        if body is not None and not body.get("output"):
            part = {"type": "output_text", "text": "".join(self._texts)}
            body = {**body, "output": [{"type": "message", "content": [part]}]}
        return _reply(body, self._request_id)

    def usage(self) -> Usage | None:
        return _usage(self._body) if self._body is not None else None


def _reply(body: dict[str, object] | None, request_id: str) -> Reply:
    """Say what the body of an answer with status 200 means."""
    if body is None or get(body, "object") != "response":
        code = code_of(body, 200) if get(body, "error") else AiCode.ANSWER_UNREADABLE
        return Reply(code=code, request_id=base.label(request_id, 120), http_status=200)
    text, has_refused = _read_output(body)
    status = text_of(body, "status")
    reason = text_of(body, "incomplete_details", "reason")
    return Reply(
        code=AiCode.REFUSED if has_refused else _code(body, status, reason, text),
        text=text,
        stop_reason=base.label(reason or status, 40),
        usage=_usage(body),
        request_id=base.label(request_id or text_of(body, "id"), 120),
        http_status=200,
    )


def _usage(body: dict[str, object]) -> Usage | None:
    return base.usage_of(
        tokens_of(body, "usage", "input_tokens"),
        tokens_of(body, "usage", "output_tokens"),
        tokens_of(body, "usage", "input_tokens_details", "cached_tokens"),
        None,
    )


def _code(body: dict[str, object], status: str, reason: str, text: str) -> AiCode:
    if status == "completed":
        return base.finished(text)
    if status == "incomplete":
        return _INCOMPLETE.get(reason, AiCode.CUT_SHORT)
    return code_of(body, 200) if status == "failed" else AiCode.ANSWER_UNREADABLE


def _read_output(body: dict[str, object]) -> tuple[str, bool]:
    """Return the text of all messages, and whether the model declined."""
    texts: list[str] = []
    has_refused = False
    for item in base.items_of(body.get("output")):
        if get(item, "type") != "message":
            continue
        for part in base.items_of(get(item, "content")):
            has_refused = has_refused or get(part, "type") == "refusal"
            texts.append(text_of(part, "text") if get(part, "type") == "output_text" else "")
    return base.storable("".join(texts)), has_refused
