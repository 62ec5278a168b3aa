"""What an answer means: its text, why it stopped, its tokens, and each error under the one right code."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from agents.providers import KINDS
from agents.providers.base import Check, Reply, Usage, read_check
from agents.providers.outcomes import OUTCOMES, AiCode
from agents.providers.prices import cost_micros
from agents.states import TurnState
from bakedbrie.lib.outbound.messages import Answer
from tests.support import fake_provider

WIRES = ("anthropic", "openai", "openai_compatible")
CUT = {"anthropic": "max_tokens", "openai": "max_output_tokens", "openai_compatible": "length"}
DECLINED = {"anthropic": "refusal", "openai": "content_filter", "openai_compatible": "content_filter"}
SENT_AT = datetime(2026, 11, 30, 12, tzinfo=UTC)


class Tape:
    """A wire that keeps what a script writes."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: tuple[tuple[str, str], ...] = ()
        self.body = b""
        self.is_stopping = False

    def head(self, status: int, headers: dict[str, str]) -> None:
        self.status, self.headers = status, tuple(headers.items())

    def write(self, data: bytes) -> None:
        self.body += data


def answered(wire: str, text: str = "Done.", stop: str = "") -> Answer:
    """The answer that the fake gives on this wire."""
    tape = Tape()
    fake_provider.answers(wire, text, stop=stop)(tape)  # type: ignore[arg-type]  # only head and write are used
    return Answer(status=tape.status, headers=tape.headers, body=tape.body)


def read(wire: str, status: int, body: object, headers: tuple[tuple[str, str], ...] = ()) -> Reply:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return KINDS[wire].read(Answer(status=status, headers=headers, body=raw))


@pytest.mark.parametrize("wire", WIRES)
def test_a_finished_answer_gives_text_tokens_and_request_id(wire: str) -> None:
    reply = KINDS[wire].read(answered(wire, "# Done\n\nText."))

    assert (reply.code, reply.text) == (AiCode.DONE, "# Done\n\nText.")
    assert reply.usage == Usage(read=1200, written=300)
    assert (reply.request_id, reply.http_status) == ("req_fake_1", 200)


@pytest.mark.parametrize("wire", WIRES)
def test_an_answer_that_reached_its_size_is_cut_short_and_keeps_its_text(wire: str) -> None:
    reply = KINDS[wire].read(answered(wire, "Half a sen", CUT[wire]))

    assert (reply.code, reply.text, reply.stop_reason) == (AiCode.CUT_SHORT, "Half a sen", CUT[wire])
    assert reply.usage == Usage(read=1200, written=300)


@pytest.mark.parametrize("wire", WIRES)
def test_an_answer_that_declines_is_refused(wire: str) -> None:
    assert KINDS[wire].read(answered(wire, "", DECLINED[wire])).code == AiCode.REFUSED


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("text", ["", "  \n\t "])
def test_an_answer_without_text_is_empty(wire: str, text: str) -> None:
    assert KINDS[wire].read(answered(wire, text)).code == AiCode.ANSWER_EMPTY


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("body", [b"", b"<html>502</html>", b"[]", b"{}", b"null", b'{"type":"message"', b"\xff\xfe"])
@pytest.mark.requirement("C078")
def test_a_200_that_is_no_answer_is_unreadable(wire: str, body: bytes) -> None:
    reply = read(wire, 200, body)

    assert (reply.code, reply.text, reply.usage) == (AiCode.ANSWER_UNREADABLE, "", None)


BOMBS = [b"[" * 100_000, b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 5000 + b"1" + b"}" * 5000, b"9" * 100_000]


@pytest.mark.requirement("C062")
@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("bomb", BOMBS, ids=["open lists", "lists", "objects", "digits"])
def test_an_answer_that_is_nested_without_end_has_a_code_and_raises_nothing(wire: str, bomb: bytes) -> None:
    inside = json.dumps({"error": 1}).encode().replace(b"1", bomb)

    codes = [read(wire, status, raw).code for status in (200, 500) for raw in (bomb, inside)]

    assert codes == [AiCode.ANSWER_UNREADABLE] * 2 + [AiCode.PROVIDER_ERROR] * 2


@pytest.mark.requirement("C062")
def test_a_million_small_objects_are_no_answer() -> None:
    assert read("openai", 200, b'{"output":[' + b"{}," * 1_000_000 + b"{}]}").code == AiCode.ANSWER_UNREADABLE


@pytest.mark.parametrize("wire", WIRES)
def test_a_reason_to_stop_that_nobody_knows_is_no_finished_answer(wire: str) -> None:
    body = json.loads(answered(wire).body)
    if wire == "anthropic":
        body["stop_reason"] = "tool_use"
    elif wire == "openai":
        body["status"] = "queued"
    else:
        body["choices"][0]["finish_reason"] = "tool_calls"

    assert read(wire, 200, body).code == AiCode.ANSWER_UNREADABLE


ERRORS = [
    (429, {"error": {"type": "insufficient_quota", "code": "insufficient_quota", "message": "q"}}, "QUOTA_EXHAUSTED"),
    (429, {"error": {"code": "rate_limit_exceeded", "type": "tokens"}}, "RATE_LIMITED"),
    (429, {"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}}, "RATE_LIMITED"),
    (429, {"error": {"details": {"error_code": "enforced_spend_limit_reached"}}}, "QUOTA_EXHAUSTED"),
    (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "OVERLOADED"),
    (
        400,
        {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 250000 tokens"}},
        "PROMPT_TOO_LONG",
    ),
    (400, {"error": {"code": "context_length_exceeded"}}, "PROMPT_TOO_LONG"),
    (400, {"error": {"type": "exceed_context_size_error", "code": 400, "message": "x"}}, "PROMPT_TOO_LONG"),
    (
        400,
        {"type": "error", "error": {"type": "invalid_request_error", "message": "Your credit balance is too low"}},
        "QUOTA_EXHAUSTED",
    ),
    (402, {"type": "error", "error": {"type": "billing_error", "message": "pay"}}, "QUOTA_EXHAUSTED"),
    (400, {"error": {"type": "invalid_request_error", "message": "max_tokens: too high"}}, "REQUEST_INVALID"),
    (422, {"detail": [{"loc": ["body"], "msg": "x"}]}, "REQUEST_INVALID"),
    (401, {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}, "KEY_REJECTED"),
    (401, {"error": {"code": "invalid_api_key", "message": "Incorrect API key provided: sk-abc"}}, "KEY_REJECTED"),
    (401, b"", "KEY_REJECTED"),
    (403, {"type": "error", "error": {"type": "permission_error", "message": "no"}}, "KEY_REJECTED"),
    (404, {"type": "error", "error": {"type": "not_found_error", "message": "model: x"}}, "MODEL_UNKNOWN"),
    (404, {"error": {"code": "model_not_found"}}, "MODEL_UNKNOWN"),
    (404, b"<html>nginx</html>", "MODEL_UNKNOWN"),
    (301, b"", "MODEL_UNKNOWN"),
    (413, {"type": "error", "error": {"type": "request_too_large", "message": "big"}}, "PROMPT_TOO_LONG"),
    (500, {"type": "error", "error": {"type": "api_error", "message": "oops"}}, "PROVIDER_ERROR"),
    (502, b"<html><body>Bad gateway</body></html>", "PROVIDER_ERROR"),
    (503, b"", "OVERLOADED"),
    (504, {"error": "upstream"}, "PROVIDER_ERROR"),
    (400, {"error": "credit balance is too low"}, "QUOTA_EXHAUSTED"),
    (400, [{"error": {"code": 400, "message": "exceeded your current quota"}}], "QUOTA_EXHAUSTED"),
    (418, {"error": {"code": ["odd"], "type": 5}}, "PROVIDER_ERROR"),
    (200, {"type": "error", "error": {"type": "overloaded_error"}, "object": "error"}, "OVERLOADED"),
]


@pytest.mark.requirement("C078", "C080")
@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(("status", "body", "code"), ERRORS)
def test_each_error_has_its_code_on_every_wire(wire: str, status: int, body: object, code: str) -> None:
    reply = read(wire, status, body)

    assert reply.code == AiCode[code]
    assert (reply.text, reply.usage) == ("", None)


@pytest.mark.requirement("C078")
def test_what_the_provider_wrote_is_kept_nowhere() -> None:
    key = "sk-" + "canary"

    replies = [read(wire, 401, {"error": {"message": f"<b>bad key {key}</b>", "code": "x"}}) for wire in WIRES]

    assert not [reply for reply in replies if key in repr(reply) or "<b>" in repr(reply)]
    assert not [outcome for outcome in OUTCOMES.values() if "<" in outcome.message]


def test_a_sensible_retry_after_is_read() -> None:
    body = {"error": {"code": "rate_limit_exceeded"}}

    waits = [
        read("openai", 429, body, (("Retry-After", text),)).retry_after_s for text in ("20", "-1", "soon", "9" * 9)
    ]

    assert waits == [20, None, None, None]


def test_a_failed_response_with_status_200_has_the_code_of_its_error() -> None:
    body = {"object": "response", "status": "failed", "error": {"code": "rate_limit_exceeded", "message": "x"}}

    assert read("openai", 200, body).code == AiCode.RATE_LIMITED


def test_a_refusal_in_the_message_counts_before_its_stop() -> None:
    part = {"type": "refusal", "refusal": "I will not"}
    response = {"object": "response", "status": "completed", "output": [{"type": "message", "content": [part]}]}
    completion = {"choices": [{"finish_reason": "stop", "message": {"content": None, "refusal": "No."}}]}

    assert read("openai", 200, response).code == AiCode.REFUSED
    assert read("openai_compatible", 200, completion).code == AiCode.REFUSED


def test_text_in_parts_is_put_together() -> None:
    parts = [{"type": "thinking", "text": "hm"}, {"type": "text", "text": "Do"}, {"type": "text", "text": "ne."}]

    reply = read("openai_compatible", 200, {"choices": [{"finish_reason": "stop", "message": {"content": parts}}]})

    assert (reply.code, reply.text) == (AiCode.DONE, "Done.")


@pytest.mark.requirement("C060")
def test_text_that_the_database_cannot_hold_is_mended() -> None:
    reply = KINDS["anthropic"].read(answered("anthropic", "a\x00b\ud800c"))

    assert reply.text == "ab\ufffdc"


@pytest.mark.parametrize("count", [-1, "5", True, 1.5, None, 2**40])
def test_a_count_that_is_none_leaves_the_usage_unknown(count: object) -> None:
    body = json.loads(answered("anthropic").body)
    body["usage"]["input_tokens"] = count

    assert read("anthropic", 200, body).usage is None


def test_cached_tokens_are_part_of_what_was_read() -> None:
    body = json.loads(answered("anthropic").body)
    body["usage"] |= {"input_tokens": 100, "cache_read_input_tokens": 1000, "cache_creation_input_tokens": 50}

    assert read("anthropic", 200, body).usage == Usage(read=1150, written=300, cache_read=1000, cache_written=50)


@pytest.mark.parametrize("wire", WIRES)
def test_a_list_of_models_means_that_the_key_is_good(wire: str) -> None:
    answer = Answer(status=200, body=json.dumps(fake_provider.models()).encode())

    assert read_check(KINDS[wire], answer) == Check(code=AiCode.DONE, models=frozenset(fake_provider.MODELS))


@pytest.mark.parametrize(("status", "code"), [(401, "KEY_REJECTED"), (500, "PROVIDER_ERROR"), (404, "MODEL_UNKNOWN")])
def test_a_failed_check_has_the_code_of_the_error(status: int, code: str) -> None:
    assert read_check(KINDS["openai"], Answer(status=status)) == Check(code=AiCode[code])


def test_a_check_that_is_answered_with_a_page_is_unreadable() -> None:
    assert read_check(KINDS["openai"], Answer(status=200, body=b"<html>")).code == AiCode.ANSWER_UNREADABLE


@pytest.mark.requirement("I010", "C078")
def test_only_a_bad_key_and_an_empty_account_make_the_account_unavailable() -> None:
    blocking = {code for code, outcome in OUTCOMES.items() if outcome.blocks_account}

    assert blocking == {AiCode.KEY_REJECTED, AiCode.QUOTA_EXHAUSTED}
    assert set(OUTCOMES) == set(AiCode)


def test_every_outcome_fits_its_column_and_says_what_to_do() -> None:
    messages = [outcome.message for outcome in OUTCOMES.values() if outcome.state != TurnState.DONE]

    assert not [message for message in messages if not message or len(message) > 250]


# Prices of the table that the product ships: 2 and 10 dollars per million tokens, a tenth of a dollar for cached ones.
@pytest.mark.parametrize(
    ("usage", "micros"),
    [
        (Usage(read=1_000_000, written=100_000), 3_000_000),
        (Usage(read=1, written=0), 2),
        (Usage(read=1000, written=0, cache_read=999), 102),
        (Usage(read=0, written=0), 0),
    ],
)
def test_the_cost_is_the_list_price_rounded_up(usage: Usage, micros: int) -> None:
    reply = Reply(code=AiCode.DONE, http_status=200, usage=usage)

    assert cost_micros("anthropic", "claude-sonnet-5-5", reply, SENT_AT) == micros


def test_a_cost_that_nobody_knows_is_not_nothing() -> None:
    priced = Reply(code=AiCode.DONE, http_status=200, usage=Usage(read=10, written=10))
    uncounted = Reply(code=AiCode.DONE, http_status=200)

    assert cost_micros("anthropic", "claude-of-next-year", priced, SENT_AT) is None
    assert cost_micros("openai_compatible", "gpt-6.1-sol", priced, SENT_AT) is None
    assert cost_micros("openai", "gpt-6.1-sol", uncounted, SENT_AT) is None


@pytest.mark.parametrize(("status", "micros"), [(401, 0), (429, 0), (529, 0), (500, None), (502, None)])
def test_a_request_that_was_turned_down_cost_nothing(status: int, micros: int | None) -> None:
    reply = Reply(code=AiCode.RATE_LIMITED, http_status=status)

    assert cost_micros("anthropic", "claude-sonnet-5-5", reply, SENT_AT) == micros


def test_the_default_models_have_a_price() -> None:
    reply = Reply(code=AiCode.DONE, http_status=200, usage=Usage(read=1000, written=1000))

    costs = [cost_micros(name, KINDS[name].model, reply, SENT_AT) for name in ("anthropic", "openai")]

    assert costs == [12_000, 12_000]
