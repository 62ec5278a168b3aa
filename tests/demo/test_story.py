"""The demo's steps find what an earlier run left, and double nothing."""

from __future__ import annotations

import pytest
from pytest_django.live_server_helper import LiveServer

from agents.models import Agent, AgentVersion
from bakedbrie.demo import story
from bakedbrie.demo.client import ApiClient
from tests.support.cast import token_of
from workflows.models import Rule
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def client(live_server: LiveServer, alice: Caller) -> ApiClient:
    return ApiClient(live_server.url, token_of(alice))


def test_a_second_run_uses_the_agent_rule_and_card_of_the_first(client: ApiClient) -> None:
    def play() -> tuple[str, str]:
        board = story.ensure_board(client)
        agent_id = story.ensure_agent(client, board)
        story.ensure_rule(client, board, agent_id)
        return agent_id, story.ensure_card(client, board)

    first = play()

    assert play() == first
    assert (Agent.objects.count(), AgentVersion.objects.count(), Rule.objects.count()) == (1, 1, 1)


def test_instructions_of_an_older_demo_are_replaced_by_a_new_version(
    client: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr(story, "INSTRUCTIONS", "Write something.")
        agent_id = story.ensure_agent(client, story.ensure_board(client))

    assert story.ensure_agent(client, story.ensure_board(client)) == agent_id

    published = Agent.objects.select_related("published").get().published
    assert published is not None
    assert (published.n, published.instructions) == (2, story.INSTRUCTIONS)
