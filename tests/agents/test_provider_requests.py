"""What we send is what the vendors' own descriptions allow."""

from __future__ import annotations

import dataclasses
import json

import pytest

from agents.providers import KINDS
from agents.providers.base import Ask
from bakedbrie.lib.outbound.messages import Request
from tests.support.vendor_judge import judge_of

# The chat completions of other services are OpenAI's; their address is not.
VENDORS = [("anthropic", "anthropic"), ("openai", "openai"), ("openai_compatible", "openai")]


def sent(request: Request) -> bytes:
    assert isinstance(request.body, bytes)
    return request.body


def ask(provider: str) -> Request:
    kind = KINDS[provider]
    return kind.ask(
        Ask(
            base_url=kind.base_url or "https://api.openai.com/v1",
            model=kind.model or "local-model",
            system="Write plainly.",
            text="A launch date",
            answer_tokens=900,
            timeout_s=30,
        )
    )


@pytest.mark.requirement("I002")
@pytest.mark.parametrize(("provider", "vendor"), VENDORS)
def test_the_request_for_a_turn_is_what_the_vendor_describes(provider: str, vendor: str) -> None:
    request = ask(provider)

    assert judge_of(vendor).problems(request, KINDS[provider].key_header) == []


@pytest.mark.parametrize(("provider", "vendor"), VENDORS)
def test_the_request_that_checks_a_key_is_what_the_vendor_describes(provider: str, vendor: str) -> None:
    kind = KINDS[provider]

    request = kind.check(kind.base_url or "https://api.openai.com/v1", 30)

    assert (request.method, request.body) == ("GET", b"")
    assert judge_of(vendor).problems(request, kind.key_header) == []


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"max_tokens": "900"}, "$.max_tokens"),
        ({"retries": 3}, "$.retries: not in the description"),
        ({"messages": None}, "$.messages"),
    ],
)
def test_the_judge_sees_what_is_wrong(wrong: dict[str, object], problem: str) -> None:
    request = ask("anthropic")
    spoilt = dataclasses.replace(request, body=json.dumps({**json.loads(sent(request)), **wrong}).encode())

    problems = judge_of("anthropic").problems(spoilt, "x-api-key")

    assert [found for found in problems if found.startswith(problem)]


def test_the_judge_misses_the_key() -> None:
    assert judge_of("anthropic").problems(ask("anthropic"), "other") == ["header x-api-key is missing"]


def test_nothing_but_the_prompt_and_the_limits_is_sent() -> None:
    bodies = {provider: json.loads(sent(ask(provider))) for provider in KINDS}

    assert bodies["anthropic"] == {
        "model": "claude-sonnet-5-5",
        "max_tokens": 900,
        "system": "Write plainly.",
        "messages": [{"role": "user", "content": "A launch date"}],
        "stream": True,
    }
    assert bodies["openai"] == {
        "model": "gpt-6.1-sol",
        "instructions": "Write plainly.",
        "input": "A launch date",
        "max_output_tokens": 900,
        "store": False,
        "stream": True,
    }
    assert bodies["openai_compatible"] == {
        "model": "local-model",
        "messages": [
            {"role": "system", "content": "Write plainly."},
            {"role": "user", "content": "A launch date"},
        ],
        "max_tokens": 900,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
