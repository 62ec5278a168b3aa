"""Everybody calls everything: nobody gets what is not theirs, and nothing crashes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import pytest
from django.db import transaction
from django.urls import URLPattern, URLResolver, get_resolver
from pytest_django.fixtures import Settings
from rest_framework.test import APIClient

from bakedbrie.api.catalog import TOOLS, described
from bakedbrie.lib.toolkit.tool import Effect, Tool
from tests.api.matrix import ABSENT, ROWS, Row, World, make_world
from tests.support.fake_provider import FakeProvider
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db

Answer: TypeAlias = tuple[int, dict[str, Any]]

ODD_IDS = ["no id", "", "' OR 1=1 --", ABSENT.upper(), "0" * 64]
PARAMETER = re.compile(r"<str:(\w+)>")
METHODS = ("get", "post", "put", "patch", "delete")
OPEN_TO_RUNNERS = {"/api/v1/token", "/api/v1/tools"}
READING_POSTS = {"/api/v1/files/{file_id}/link"}
CLOSED = {"FORBIDDEN", "NOT_BOARD_MANAGER"}


@pytest.fixture
def world(alice: Caller, charlie: Caller, settings: Settings) -> Iterator[World]:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        yield make_world(alice, charlie, provider)


def test_every_tool_and_every_action_has_a_row() -> None:
    offered = {
        name: set(described(name)["inputSchema"]["properties"].get("action", {}).get("enum", [])) for name in TOOLS
    }
    tried = {
        name: {one.arguments["action"] for one in rows if "action" in one.arguments} for name, rows in ROWS.items()
    }

    assert tried == offered


def test_the_owner_gets_what_each_row_says(world: World) -> None:
    wrong = {}
    for label, tool, one in every_row():
        status, body = call(world.inside["owner"], tool, one.filled(world.ids))
        if code_of((status, body)) != one.code or (status == 200) != (one.code == ""):
            wrong[label] = body

    assert wrong == {}


@pytest.mark.requirement("W002", "C092")
def test_a_stranger_finds_nothing(world: World) -> None:
    wrong = {}
    for label, tool, one in every_row():
        foreign = call(world.stranger, tool, one.filled(world.ids))
        if one.id_names and foreign != call(world.stranger, tool, one.filled_with(ABSENT)):
            wrong[label] = "differs from an absent one"
        if one.id_names and code_of(foreign) != ("SECRET_DROP_EXPIRED" if one.id_names == {"drop"} else "NOT_FOUND"):
            wrong[label] = code_of(foreign)
        if any(known in json.dumps(foreign) for known in [*world.ids.values(), "Canary", "Alice"]):
            wrong[label] = "tells something"

    assert wrong == {}


@pytest.mark.requirement("W007", "B045")
def test_a_member_without_the_board_finds_nothing_of_it(world: World) -> None:
    of_the_board = {name: value for name, value in world.ids.items() if name not in {"account", "drop"}}
    wrong = {}
    for label, tool, one in every_row():
        client = world.inside["outsider"]
        foreign = call(client, tool, one.filled(world.ids))
        if one.id_names & set(of_the_board):
            absent = call(client, tool, one.filled({**world.ids, **dict.fromkeys(of_the_board, ABSENT)}))
            if foreign != absent or code_of(foreign) != "NOT_FOUND":
                wrong[label] = code_of(foreign)
        if any(known in json.dumps(foreign) for known in [*of_the_board.values(), "Canary"]):
            wrong[label] = "tells something"

    assert wrong == {}


def test_odd_ids_are_absent_ids(world: World) -> None:
    wrong = {}
    for label, tool, one in every_row():
        if one.id_names:
            absent = call(world.inside["owner"], tool, one.filled_with(ABSENT))
            different = [odd for odd in ODD_IDS if call(world.inside["owner"], tool, one.filled_with(odd)) != absent]
            if different:
                wrong[label] = different

    assert wrong == {}


@pytest.mark.requirement("C095")
def test_who_is_gone_gets_nothing(world: World) -> None:
    codes = {
        code_of(call(client, tool, one.filled(world.ids)))
        for _, tool, one in every_row()
        for client in world.gone.values()
    }

    assert codes == {"TOKEN_REVOKED"}


@pytest.mark.requirement("W005", "W009", "W010", "C098")
def test_presets_and_roles_bind(world: World) -> None:
    wrong = {}
    for label, tool, one in every_row():
        got = {name: code_of(call(client, tool, one.filled(world.ids))) for name, client in world.everybody().items()}
        expected = expected_codes(tool, one, world)
        different = {name: got[name] for name, codes in expected.items() if got[name] not in codes}
        if different:
            wrong[label] = different

    assert wrong == {}


def expected_codes(tool: Tool[Caller], one: Row, world: World) -> dict[str, set[str]]:
    """Return which codes each role and preset may get; an empty one is success."""
    is_read = tool.effect_of(one.filled(world.ids)) is Effect.READ
    others_drop = {"SECRET_DROP_EXPIRED"} if "drop" in one.id_names else set()
    return {
        "runner": {"" if tool.serves_runner else "TOKEN_RUNNER_ONLY"},
        "read_only": {one.code if is_read else "TOKEN_READ_ONLY"},
        "admin": others_drop or {one.code},
        "viewer": {one.code} if is_read else CLOSED,
        "member": {one.code} if is_read else {one.code, *CLOSED, *others_drop},
    }


def test_every_rest_route_keeps_strangers_out_and_stands_everybody(world: World) -> None:
    for path, parameters in rest_routes():
        for method in METHODS:
            asked = path.format(**{name: world.ids[name.removesuffix("_id")] for name in parameters})
            absent = path.format(**dict.fromkeys(parameters, ABSENT))
            for name, client in world.everybody().items():
                status, body = ask(client, method, asked)
                assert status < 500, (name, method, asked, body)
                if name in world.gone:
                    assert status == 401, (name, method, asked)
            if parameters:
                assert ask(world.stranger, method, asked) == ask(world.stranger, method, absent), (method, asked)
                assert ask(world.stranger, method, asked)[0] >= 400


def test_read_only_and_runner_tokens_change_nothing_over_rest(world: World) -> None:
    for path, parameters in rest_routes():
        asked = path.format(**{name: world.ids[name.removesuffix("_id")] for name in parameters})
        for method in METHODS:
            is_read = method == "get" or (method == "post" and path in READING_POSTS)
            assert is_read or ask(world.read_only, method, asked)[0] >= 400, (method, asked)
            assert asked in OPEN_TO_RUNNERS or ask(world.runner, method, asked)[0] >= 400, (method, asked)


def every_row() -> Iterator[tuple[str, Tool[Caller], Row]]:
    for name, rows in ROWS.items():
        for number, one in enumerate(rows):
            yield f"{name} {one.arguments.get('action', number)}", TOOLS[name], one


def call(client: APIClient, tool: Tool[Caller], arguments: dict[str, Any]) -> Answer:
    """Call, and take back what a writing call changed; a call that sends must not find a transaction open."""
    with nullified(tool.effect is not Effect.SEND):
        response = client.post(f"/api/v1/tools/{tool.name}", arguments, format="json")
    return shown(response)


def ask(client: APIClient, method: str, path: str) -> Answer:
    with nullified(True):
        if method == "get":
            return shown(client.get(path))
        response = getattr(client, method)(path, {"x": 1}, format="json")
    return shown(response)


def shown(response: Any) -> Answer:
    assert response.status_code != 500, (response.request, response.content)
    if response.streaming:
        response.getvalue()
        return response.status_code, {}
    is_json = response.headers.get("Content-Type", "").startswith("application/json")
    body: dict[str, Any] = response.json() if is_json else {}
    body.pop("request_id", None)
    return response.status_code, body


def code_of(answer: Answer) -> str:
    code: str = answer[1].get("error", {}).get("code", "")
    return code


@contextmanager
def nullified(is_taken_back: bool) -> Iterator[None]:
    if not is_taken_back:
        yield
        return
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def rest_routes() -> list[tuple[str, list[str]]]:
    """Return every address below /api/v1/ but the calls of tools, with the names of its parameters."""
    routes = [str(route) for route in _routes(get_resolver().url_patterns, "/")]
    below = [route for route in routes if route.startswith("/api/v1/") and "tools/" not in route]
    return [(PARAMETER.sub(r"{\1}", route), PARAMETER.findall(route)) for route in below]


def _routes(patterns: list[Any], prefix: str) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, f"{prefix}{pattern.pattern}")
        elif isinstance(pattern, URLPattern):
            yield f"{prefix}{pattern.pattern}"
