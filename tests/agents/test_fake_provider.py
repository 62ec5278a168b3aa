"""The vendors' own clients take our fake for the real thing; so what tests see of it is worth something."""

from __future__ import annotations

from collections.abc import Iterator

import anthropic
import openai
import pytest

from tests.support.fake_provider import TEXT, FakeProvider, fails, streams
from tests.support.fake_streams import late_error


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


def test_anthropics_client_reads_the_fakes_stream(fake: FakeProvider, claude: anthropic.Anthropic) -> None:
    with claude.messages.stream(model="m", max_tokens=9, messages=[{"role": "user", "content": "x"}]) as stream:
        pieces = list(stream.text_stream)
        message = stream.get_final_message()

    assert pieces == ["Finishe", "d work."]
    assert (message.stop_reason, message.usage.input_tokens, message.usage.output_tokens) == ("end_turn", 1200, 300)


def test_openais_client_reads_the_fakes_streams(fake: FakeProvider, gpt: openai.OpenAI) -> None:
    with gpt.responses.stream(model="m", input="x") as stream:
        pieces = [event.delta for event in stream if event.type == "response.output_text.delta"]
        response = stream.get_final_response()
    chunks = list(
        gpt.chat.completions.create(
            model="m",
            messages=[{"role": "user", "content": "x"}],
            stream=True,
            stream_options={"include_usage": True},
        )
    )

    assert pieces == ["Finishe", "d work."]
    assert (response.output_text, response.status) == (TEXT, "completed")
    assert response.usage is not None
    assert response.usage.output_tokens == 300
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == TEXT
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.prompt_tokens == 1200


def test_the_clients_see_a_late_error_of_the_fake(
    fake: FakeProvider, claude: anthropic.Anthropic, gpt: openai.OpenAI
) -> None:
    fake.script(*(streams(wire, events=[late_error(wire)]) for wire in ("anthropic", "openai", "openai_compatible")))

    with pytest.raises(anthropic.APIStatusError):
        list(claude.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "x"}], stream=True))
    failed = list(gpt.responses.create(model="m", input="x", stream=True))
    with pytest.raises(openai.APIError):
        list(gpt.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}], stream=True))

    assert [(event.type, event.code) for event in failed if event.type == "error"] == [("error", "server_overloaded")]


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
