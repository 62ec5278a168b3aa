"""The vendors' own clients take our fake for the real thing; so what tests see of it is worth something."""

from __future__ import annotations

from collections.abc import Iterator

import anthropic
import openai
import pytest

from tests.support.fake_provider import TEXT, FakeProvider, fails


@pytest.fixture
def fake() -> Iterator[FakeProvider]:
    with FakeProvider() as service:
        yield service


@pytest.fixture
def claude(fake: FakeProvider) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(base_url=fake.url(), api_key="sk-ant-fake", max_retries=0) as client:
        yield client


@pytest.fixture
def gpt(fake: FakeProvider) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=fake.url("/v1"), api_key="sk-fake", max_retries=0) as client:
        yield client


def test_anthropics_client_reads_the_fake(fake: FakeProvider, claude: anthropic.Anthropic) -> None:
    message = claude.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "x"}])

    assert [block.text for block in message.content if block.type == "text"] == [TEXT]
    assert (message.stop_reason, message.usage.input_tokens, message.usage.output_tokens) == ("end_turn", 1200, 300)
    assert [model.id for model in claude.models.list().data][:1] == ["claude-sonnet-5-5"]
    assert len(fake.calls) == 1


def test_openais_client_reads_the_fake(fake: FakeProvider, gpt: openai.OpenAI) -> None:
    response = gpt.responses.create(model="m", input="x")
    completion = gpt.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}])

    assert (response.output_text, response.status) == (TEXT, "completed")
    assert response.usage is not None
    assert response.usage.input_tokens == 1200
    assert completion.choices[0].message.content == TEXT
    assert [model.id for model in gpt.models.list().data][:1] == ["claude-sonnet-5-5"]
    assert len(fake.calls) == 2


def test_the_clients_take_the_fakes_errors_for_the_vendors(
    fake: FakeProvider, claude: anthropic.Anthropic, gpt: openai.OpenAI
) -> None:
    fake.script(
        fails(401, {"type": "error", "error": {"type": "authentication_error", "message": "no"}}),
        fails(429, {"error": {"message": "no", "type": "insufficient_quota", "code": "insufficient_quota"}}),
    )

    with pytest.raises(anthropic.AuthenticationError):
        claude.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "x"}])
    with pytest.raises(openai.RateLimitError) as refused:
        gpt.responses.create(model="m", input="x")

    assert refused.value.code == "insufficient_quota"
