"""The demo's steps find what an earlier run left, and double nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import override_settings
from pytest_django.live_server_helper import LiveServer

from agents.models import Agent, AgentVersion
from bakedbrie.demo import story
from bakedbrie.demo.bucket import DemoBucket
from bakedbrie.demo.client import ApiClient
from destinations.models import BoardDestination, Destination
from reviews.models import WorkFolder
from tests.support.buckets import S3Server
from tests.support.cast import token_of
from workflows.models import Rule
from workspaces.caller import Caller
from workspaces.services.capabilities import switch_capability

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


def test_a_second_run_uses_the_destination_of_the_first(
    client: ApiClient, alice: Caller, moto_server: S3Server
) -> None:
    for name in ("destinations", "reviews"):
        switch_capability(alice, name=name, is_on=True)
    bucket = DemoBucket(
        endpoint=moto_server.endpoint,
        name=moto_server.new_bucket().name,
        access_key_id=moto_server.access_key_id,
        secret=moto_server.secret,
        folder=Path("/nowhere"),
    )

    with override_settings(OUTBOUND_LOOPBACK=[moto_server.pair]):
        for _ in range(2):
            board = story.ensure_board(client)
            story.ensure_work_folder(client, board, story.ensure_destination(client, bucket, board))

    (destination,) = Destination.objects.all()
    assert (destination.name, destination.config["bucket"]) == ("Finished work", bucket.name)
    assert BoardDestination.objects.get().destination == destination
    assert WorkFolder.objects.get().destination == destination
