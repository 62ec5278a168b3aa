"""Any service that speaks OpenAI's chat completions: hosted ones, and servers of the operator's own machine.

Only what such services take is sent: no sampling settings, and ``max_tokens`` under its older name. The counts of a
stream have to be asked for, with an option that some services refuse: their accounts go without it from then on. Where
a service sends no counts, the tokens stay unknown.
"""

from __future__ import annotations

from dataclasses import replace

from agents.providers import base
from agents.providers.base import Ask, Events, Reply, Usage, get, text_of, tokens_of
from agents.providers.errors import code_of
from agents.providers.openai_wire import OpenAiWire
from agents.providers.outcomes import AiCode
from bakedbrie.lib.outbound.messages import Answer, Request
from bakedbrie.lib.outbound.urls import join

_COUNTS = "stream_options"
_STOPS: dict[str, AiCode] = {"length": AiCode.CUT_SHORT, "content_filter": AiCode.REFUSED}


class OpenAiCompatible(OpenAiWire):
    """It has no address and no model of its own: the account names both."""

    base_url = ""
    model = ""
    context_tokens = 8_192
    answer_tokens = 2_048
    takes_images = False  # many models behind it read text alone and refuse the whole call

    def ask(self, ask: Ask) -> Request:
        body: dict[str, object] = {
            "model": ask.model,
            "messages": [{"role": "system", "content": ask.system}, {"role": "user", "content": ask.text}],
            "max_tokens": ask.answer_tokens,
            "stream": True,
        }
        if ask.asks_for_counts:
            body[_COUNTS] = {"include_usage": True}
        return base.json_request(join(ask.base_url, "/chat/completions"), body, (), ask.timeout_s)

    def read(self, answer: Answer) -> Reply:
        reply = super().read(answer)
        if reply.code is AiCode.REQUEST_INVALID and _COUNTS.encode() in answer.body:
            return replace(reply, code=AiCode.COUNTS_REFUSED)
        return reply

    def _events(self, request_id: str) -> Events:
        return _Events(request_id)

    def _reply(self, body: dict[str, object] | None, request_id: str) -> Reply:
        return _reply(body, request_id)


class _Events:
    """An answer is over with its ``finish_reason``; the counts come after it, and not every service says [DONE]."""

    def __init__(self, request_id: str) -> None:
        self.is_whole = False
        self._request_id = request_id
        self._error: dict[str, object] | None = None
        self._texts: list[str] = []
        self._refusals: list[str] = []
        self._stop = ""
        self._id = ""
        self._usage: object = None

    def take(self, event: dict[str, object]) -> str:
        if get(event, "error") and not self._stop:
            self._error, self.is_whole = event, True
            return ""
        self._id = self._id or text_of(event, "id")
        self._usage = get(event, "usage") or self._usage
        choice = next(base.items_of(get(event, "choices")), None)
        text = _text(get(choice, "delta", "content"))
        self._texts.append(text)
        self._refusals.append(text_of(choice, "delta", "refusal"))
        self._stop = self._stop or text_of(choice, "finish_reason")
        return text

    def end(self) -> None:
        self.is_whole = self.is_whole or bool(self._stop)

    def reply(self) -> Reply:
        if self._error is not None:
            return _reply(self._error, self._request_id)
        message = {"content": "".join(self._texts), "refusal": "".join(self._refusals)}
        choice = {"finish_reason": self._stop, "message": message}
        return _reply({"id": self._id, "choices": [choice], "usage": self._usage}, self._request_id)

    def usage(self) -> Usage | None:
        return _usage({"usage": self._usage})


def _reply(body: dict[str, object] | None, request_id: str) -> Reply:
    """Say what the body of an answer with status 200 means."""
    choice = next(base.items_of(get(body, "choices")), None)
    if body is None or not isinstance(choice, dict):
        code = code_of(body, 200) if get(body, "error") else AiCode.ANSWER_UNREADABLE
        return Reply(code=code, request_id=base.label(request_id, 120), http_status=200)
    text = base.storable(_text(get(choice, "message", "content")))
    stop = text_of(choice, "finish_reason")
    code = base.finished(text) if stop == "stop" else _STOPS.get(stop, AiCode.ANSWER_UNREADABLE)
    return Reply(
        code=AiCode.REFUSED if text_of(choice, "message", "refusal") else code,
        text=text,
        stop_reason=base.label(stop, 40),
        usage=_usage(body),
        request_id=base.label(request_id or text_of(body, "id"), 120),
        http_status=200,
    )


def _usage(body: dict[str, object]) -> Usage | None:
    return base.usage_of(
        tokens_of(body, "usage", "prompt_tokens"),
        tokens_of(body, "usage", "completion_tokens"),
        tokens_of(body, "usage", "prompt_tokens_details", "cached_tokens"),
        None,
    )


def _text(content: object) -> str:
    """Return the text, which some services write in parts."""
    if isinstance(content, str):
        return content
    parts = base.items_of(content)
    return "".join(text_of(part, "text") for part in parts if get(part, "type") == "text")
