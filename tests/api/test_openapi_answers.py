"""Every answer to every row of the matrices is one that the OpenAPI document names, field by field."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from pytest_django.fixtures import Settings
from rest_framework.test import APIClient

from bakedbrie.api.catalog import TOOLS
from bakedbrie.lib.toolkit.tool import Effect
from tests.api.matrix import ROWS
from tests.api.openapi import complaints
from tests.api.rest_rows import REST_ROWS, RestRow
from tests.api.test_rest_matrix import query_values, route_of
from tests.api.world import World, filled, make_world, taken_back
from tests.support.fake_provider import FakeProvider
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db

ASKING = ("owner", "viewer", "outsider", "read_only", "runner", "revoked")


@pytest.fixture
def world(alice: Caller, charlie: Caller, settings: Settings) -> Iterator[World]:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        settings.CALLS_PER_MINUTE = 1_000_000
        yield make_world(alice, charlie, provider)


def test_every_address_answers_as_the_document_says(world: World) -> None:
    wrong = {
        f"{one.method} {one.path} {name}": found
        for one in REST_ROWS
        for name in ASKING
        if (found := asked(world.everybody()[name], one, world.ids))
    }

    assert wrong == {}


def test_every_tool_answers_as_the_document_says(world: World) -> None:
    wrong = {}
    for name, rows in ROWS.items():
        for one in rows:
            for who in ASKING:
                found = called(world.everybody()[who], name, one.filled(world.ids))
                if found:
                    wrong[f"{name} {one.arguments} {who}"] = found

    assert wrong == {}


def asked(client: APIClient, one: RestRow, ids: dict[str, str]) -> list[str]:
    query = one.query
    for value in query_values(one):
        query = query.replace(value, filled(value, ids)) if value.startswith("$") else query
    path, send = filled(one.path, ids) + query, getattr(client, one.method)
    with taken_back():
        if isinstance(one.body, bytes):
            response = send(path, one.body, content_type="text/plain")
        else:
            response = send(path) if one.method == "get" else send(path, filled(one.body or {}, ids), format="json")
        body = b"".join(response.streaming_content) if response.streaming else response.content
    documented = "/" + re.sub(r"<str:(\w+)>", r"{\1}", route_of(one))
    return complaints(one.method.upper(), documented, response.status_code, response.get("Content-Type", ""), body)


def called(client: APIClient, name: str, arguments: object) -> list[str]:
    path = f"/api/v1/tools/{name}"
    if TOOLS[name].effect is Effect.SEND:
        response = client.post(path, arguments, format="json")
    else:
        with taken_back():
            response = client.post(path, arguments, format="json")
    return complaints("POST", path, response.status_code, response.get("Content-Type", ""), response.content)
