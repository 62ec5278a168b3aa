"""Any service that speaks OpenAI's chat completions: hosted ones, and servers of the operator's own machine.

Only what such services take is sent: no sampling settings, and ``max_tokens`` under its older name. The counts of a
stream have to be asked for; where a service sends none, the cost stays unknown.
"""

from __future__ import annotations

from agents.providers import base
from agents.providers.base import Ask, Events, Reply, Usage, get, text_of, tokens_of
from agents.providers.errors import code_of, read_error
from agents.providers.outcomes import AiCode
from bakedbrie.lib.outbound.messages import Answer, Headers, Request, find_header
from bakedbrie.lib.outbound.urls import join

_STOPS: dict[str, AiCode] = {"length": AiCode.CUT_SHORT, "content_filter": AiCode.REFUSED}


class OpenAiCompatible:
    """It has no address and no model of its own: the account names both."""

    key_header = "Authorization"
    key_prefix = "Bearer "
    base_url = ""
    model = ""
    context_tokens = 8_192
    answer_tokens = 2_048
    takes_images = False  # many models behind it read text alone and refuse the whole call

    def ask(self, ask: Ask) -> Request:
        body = {
            "model": ask.model,
            "messages": [{"role": "system", "content": ask.system}, {"role": "user", "content": ask.text}],
            "max_tokens": ask.answer_tokens,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        return base.json_request(join(ask.base_url, "/chat/completions"), body, (), ask.timeout_s)

    def check(self, base_url: str, timeout_s: float) -> Request:
        return base.list_request(join(base_url, "/models"), (), timeout_s)

    def events(self, headers: Headers) -> Events:
        return _Events(find_header(headers, "x-request-id") or "")

    def read(self, answer: Answer) -> Reply:
        request_id = answer.header("x-request-id") or ""
        if answer.status != 200:
            return read_error(answer, base.label(request_id, 120))
        return _reply(base.body_of(answer), request_id)


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
