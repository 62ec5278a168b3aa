"""Error answers of all providers, sorted into codes: by what they name first, then by the status.

OpenAI uses 429 both for "slow down" and for "no credit"; Anthropic says "no credit" with a 400; others copy one or
the other. So the words of the error count before its number. What the provider wrote is never shown or kept.
"""

from __future__ import annotations

from agents.providers.base import Reply, body_of, get, label, retry_after, text_of
from agents.providers.outcomes import AiCode
from bakedbrie.lib.outbound.messages import Answer

_NAMES: dict[str, AiCode] = {
    "insufficient_quota": AiCode.QUOTA_EXHAUSTED,
    "billing_error": AiCode.QUOTA_EXHAUSTED,
    "billing_hard_limit_reached": AiCode.QUOTA_EXHAUSTED,
    "billing_not_active": AiCode.QUOTA_EXHAUSTED,
    "enforced_spend_limit_reached": AiCode.QUOTA_EXHAUSTED,
    "rate_limit_error": AiCode.RATE_LIMITED,
    "rate_limit_exceeded": AiCode.RATE_LIMITED,
    "overloaded_error": AiCode.OVERLOADED,
    "server_overloaded": AiCode.OVERLOADED,
    "slow_down": AiCode.OVERLOADED,
    "context_length_exceeded": AiCode.PROMPT_TOO_LONG,
    "exceed_context_size_error": AiCode.PROMPT_TOO_LONG,
    "request_too_large": AiCode.PROMPT_TOO_LONG,
    "string_above_max_length": AiCode.PROMPT_TOO_LONG,
    "authentication_error": AiCode.KEY_REJECTED,
    "permission_error": AiCode.KEY_REJECTED,
    "invalid_api_key": AiCode.KEY_REJECTED,
    "account_deactivated": AiCode.KEY_REJECTED,
    "model_not_found": AiCode.MODEL_UNKNOWN,
    "not_found_error": AiCode.MODEL_UNKNOWN,
    "content_filter": AiCode.REFUSED,
    "content_policy_violation": AiCode.REFUSED,
    "invalid_prompt": AiCode.REFUSED,
    "api_error": AiCode.PROVIDER_ERROR,
    "server_error": AiCode.PROVIDER_ERROR,
    "timeout_error": AiCode.PROVIDER_ERROR,
}
_PHRASES: tuple[tuple[str, AiCode], ...] = (
    ("credit balance is too low", AiCode.QUOTA_EXHAUSTED),
    ("exceeded your current quota", AiCode.QUOTA_EXHAUSTED),
    ("prompt is too long", AiCode.PROMPT_TOO_LONG),
    ("maximum context length", AiCode.PROMPT_TOO_LONG),
    ("context window", AiCode.PROMPT_TOO_LONG),
)
_STATUSES: dict[int, AiCode] = {
    400: AiCode.REQUEST_INVALID,
    401: AiCode.KEY_REJECTED,
    402: AiCode.QUOTA_EXHAUSTED,
    403: AiCode.KEY_REJECTED,
    404: AiCode.MODEL_UNKNOWN,
    405: AiCode.MODEL_UNKNOWN,
    413: AiCode.PROMPT_TOO_LONG,
    422: AiCode.REQUEST_INVALID,
    429: AiCode.RATE_LIMITED,
    503: AiCode.OVERLOADED,
    529: AiCode.OVERLOADED,
}


def read_error(answer: Answer, request_id: str) -> Reply:
    """Say what an error answer means, whatever its body is."""
    body = body_of(answer)
    return Reply(
        code=code_of(body, answer.status),
        stop_reason=label(_names(body)[0], 40),
        request_id=request_id,
        http_status=answer.status,
        retry_after_s=retry_after(answer),
    )


def code_of(body: dict[str, object] | None, status: int) -> AiCode:
    """Return the code of an error by its names, its text and at last its status."""
    for name in _names(body):
        if name in _NAMES:
            return _NAMES[name]
    said = (text_of(body, "error", "message") or text_of(body, "error") or text_of(body, "message")).lower()
    for phrase, code in _PHRASES:
        if phrase in said:
            return code
    if 300 <= status < 400:
        return AiCode.MODEL_UNKNOWN
    return _STATUSES.get(status, AiCode.PROVIDER_ERROR)


def _names(body: dict[str, object] | None) -> list[str]:
    """Return what the error calls itself, the most exact name first."""
    error = get(body, "error")
    names = [text_of(error, "details", "error_code"), text_of(error, "code"), text_of(error, "type")]
    return [name for name in names if name] or [""]
