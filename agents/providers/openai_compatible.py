"""Any service that speaks OpenAI's chat completions: hosted ones, and servers of the operator's own machine.

Only what every such service takes is sent: no sampling settings, and ``max_tokens`` under its older name.
"""

from __future__ import annotations

from agents.providers import base
from agents.providers.base import Ask, Reply, get, text_of, tokens_of
from agents.providers.errors import code_of, read_error
from agents.providers.outcomes import AiCode
from bakedbrie.lib.outbound.messages import Answer, Request
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

    def ask(self, ask: Ask) -> Request:
        body = {
            "model": ask.model,
            "messages": [{"role": "system", "content": ask.system}, {"role": "user", "content": ask.text}],
            "max_tokens": ask.answer_tokens,
        }
        return base.json_request(join(ask.base_url, "/chat/completions"), body, (), ask.timeout_s)

    def check(self, base_url: str, timeout_s: float) -> Request:
        return base.list_request(join(base_url, "/models"), (), timeout_s)

    def read(self, answer: Answer) -> Reply:
        request_id = base.label(answer.header("x-request-id") or "", 120)
        if answer.status != 200:
            return read_error(answer, request_id)
        body = base.body_of(answer)
        choice = next(base.items_of(get(body, "choices")), None)
        if body is None or not isinstance(choice, dict):
            code = code_of(body, 200) if get(body, "error") else AiCode.ANSWER_UNREADABLE
            return Reply(code=code, request_id=request_id, http_status=200)
        text = base.storable(_text(get(choice, "message", "content")))
        stop = text_of(choice, "finish_reason")
        code = base.finished(text) if stop == "stop" else _STOPS.get(stop, AiCode.ANSWER_UNREADABLE)
        return Reply(
            code=AiCode.REFUSED if text_of(choice, "message", "refusal") else code,
            text=text,
            stop_reason=base.label(stop, 40),
            usage=base.usage_of(
                tokens_of(body, "usage", "prompt_tokens"),
                tokens_of(body, "usage", "completion_tokens"),
                tokens_of(body, "usage", "prompt_tokens_details", "cached_tokens"),
                None,
            ),
            request_id=request_id or base.label(text_of(body, "id"), 120),
            http_status=200,
        )


def _text(content: object) -> str:
    """Return the text, which some services write in parts."""
    if isinstance(content, str):
        return content
    parts = base.items_of(content)
    return "".join(text_of(part, "text") for part in parts if get(part, "type") == "text")
