"""Everybody asks at every address of the API, with what would work for the owner: what is not theirs stays shut."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TypeAlias

import pytest
from django.urls import resolve
from pytest_django.fixtures import Settings
from rest_framework.test import APIClient

from tests.api.rest_rows import REST_ROWS, RestRow
from tests.api.world import (
    ABSENT,
    OF_THE_WORKSPACE,
    RANK,
    World,
    filled,
    make_world,
    one_replaced,
    taken_back,
    watched,
)
from tests.support.fake_provider import FakeProvider
from tests.support.routes import every_route
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db

Answer: TypeAlias = tuple[int, Any]

METHODS = ("get", "post", "put", "patch", "delete")
# Tools have a matrix of their own.
OF_TOOLS = "api/v1/tools/<str:name>"


@pytest.fixture
def world(alice: Caller, charlie: Caller, settings: Settings) -> Iterator[World]:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        settings.CALLS_PER_MINUTE = 1_000_000
        yield make_world(alice, charlie, provider)


def test_every_method_of_every_address_has_a_row() -> None:
    tried = {(route_of(one), one.method) for one in REST_ROWS}

    assert tried == {(route, method) for route, methods in rest_routes().items() for method in methods}


def test_the_owner_gets_what_each_row_says(world: World) -> None:
    wrong: dict[str, object] = {}
    for one in REST_ROWS:
        answer = ask(world.inside["owner"], one, world.ids)
        if answer[0] != one.status or code_of(answer) != one.code:
            wrong[f"{one.method} {one.path}"] = answer

    assert wrong == {}


@pytest.mark.requirement("W002", "C092")
def test_a_stranger_finds_nothing(world: World) -> None:
    wrong: dict[str, object] = {}
    for one in REST_ROWS:
        foreign = ask(world.stranger, one, world.ids)
        if names_of(one):
            absent = ask(world.stranger, one, dict.fromkeys(world.ids, ABSENT))
            if foreign != absent or code_of(foreign) != absent_code(one):
                wrong[f"{one.method} {one.path}"] = (foreign, absent)
        if any(known in json.dumps(foreign) for known in [*world.ids.values(), "Canary", "Alice"]):
            wrong[f"{one.method} {one.path}"] = foreign

    assert wrong == {}


@pytest.mark.requirement("W002", "C092")
def test_one_foreign_id_among_own_ones_is_an_absent_one(world: World) -> None:
    wrong: dict[str, object] = {}
    for one in REST_ROWS:
        for name in names_of(one):
            for who, others in (("owner", world.foreign), ("manager", world.closed)):
                foreign, absent = (
                    ask(world.inside[who], one, one_replaced(world.ids, name, by)) for by in (others[name], ABSENT)
                )
                is_hidden = who == "owner" or name not in OF_THE_WORKSPACE
                if is_hidden and foreign != absent:
                    wrong[f"{one.method} {one.path} {name} {who}"] = (foreign, absent)

    assert wrong == {}


@pytest.mark.requirement("W007", "B045")
def test_a_member_without_the_board_finds_nothing_of_it(world: World) -> None:
    of_the_board = {name: value for name, value in world.ids.items() if name not in OF_THE_WORKSPACE}
    wrong: dict[str, object] = {}
    for one in REST_ROWS:
        foreign = ask(world.inside["outsider"], one, world.ids)
        if names_of(one) & set(of_the_board):
            ids = {**world.ids, **dict.fromkeys(of_the_board, ABSENT)}
            absent = ask(world.inside["outsider"], one, ids)
            if foreign != absent or code_of(foreign) != "NOT_FOUND":
                wrong[f"{one.method} {one.path}"] = (foreign, absent)
        if any(known in json.dumps(foreign) for known in [*of_the_board.values(), "Canary"]):
            wrong[f"{one.method} {one.path}"] = foreign

    assert wrong == {}


@pytest.mark.requirement("W005", "W009", "W010", "C095", "C098")
def test_presets_and_roles_bind_and_nothing_is_written_for_who_may_not(world: World) -> None:
    wrong: dict[str, object] = {}
    for one in REST_ROWS:
        for name, code in expected_codes(one).items():
            with watched() as written:
                answer = ask(world.everybody()[name], one, world.ids)
            if code_of(answer) != code or (written and (one.is_read or code != one.code)):
                wrong[f"{one.method} {one.path}{one.query} {name}"] = (answer, written)

    assert wrong == {}


@pytest.mark.requirement("C095")
def test_who_is_gone_gets_nothing(world: World) -> None:
    codes = {name: {code_of(ask(client, one, world.ids)) for one in REST_ROWS} for name, client in world.gone.items()}

    assert codes == {name: {"TOKEN_REVOKED"} for name in ("removed", "off", "revoked", "expired")}


@pytest.mark.requirement("C098")
def test_without_a_token_no_method_of_any_address_answers(world: World) -> None:
    paths = {route_of(one): filled(one.path, world.ids) for one in REST_ROWS}

    statuses = {
        f"{method} {route}": getattr(APIClient(), method)(path).status_code
        for route, path in paths.items()
        for method in (*METHODS, "head", "options")
    }

    assert {asked: status for asked, status in statuses.items() if status != 401} == {}


@pytest.mark.requirement("C098")
def test_a_method_that_an_address_does_not_have_does_nothing(world: World) -> None:
    paths = {route_of(one): filled(one.path, world.ids) for one in REST_ROWS}
    wrong: dict[str, object] = {}
    for route, methods in rest_routes().items():
        for method in {*METHODS, "options"} - methods:
            with watched() as written, taken_back():
                status = getattr(world.inside["owner"], method)(paths[route]).status_code
            if written or status != 405:
                wrong[f"{method} {route}"] = (status, written)

    assert wrong == {}


def expected_codes(one: RestRow) -> dict[str, str]:
    """Return what each role and preset gets: the owner's answer, or why not."""
    expected = {
        "runner": one.code if one.serves_runner else "TOKEN_RUNNER_ONLY",
        "read_only": one.code if one.is_read else "TOKEN_READ_ONLY",
    }
    for role, rank in RANK.items():
        if rank >= RANK[one.least]:
            is_anothers = "empty_drop" in one.id_names and role != "owner"
            expected[role] = "SECRET_DROP_EXPIRED" if is_anothers else one.code
        else:
            is_short = one.least == "manager" and role == "member"
            expected[role] = one.hidden or ("NOT_BOARD_MANAGER" if is_short else "FORBIDDEN")
    return expected


def absent_code(one: RestRow) -> str:
    return "SECRET_DROP_EXPIRED" if "empty_drop" in one.id_names else "NOT_FOUND"


def names_of(one: RestRow) -> set[str]:
    """Return the ids that a row names, also in its query."""
    return one.id_names | {part[1:] for part in query_values(one) if part.startswith("$")}


def query_values(one: RestRow) -> list[str]:
    return [pair.partition("=")[2] for pair in one.query.removeprefix("?").split("&")]


def ask(client: APIClient, one: RestRow, ids: dict[str, str]) -> Answer:
    """Ask as the row says, and take back what changed."""
    query = one.query
    for value in query_values(one):
        query = query.replace(value, filled(value, ids)) if value.startswith("$") else query
    path, send = filled(one.path, ids) + query, getattr(client, one.method)
    with taken_back():
        if isinstance(one.body, bytes):
            return shown(send(path, one.body, content_type="text/plain"))
        return shown(send(path) if one.method == "get" else send(path, filled(one.body or {}, ids), format="json"))


def shown(response: Any) -> Answer:
    assert response.status_code != 500, (response.request, response.content)
    if response.streaming:
        return response.status_code, response.getvalue().decode()
    body = response.json() if response.content else {}
    body.pop("request_id", None)
    return response.status_code, body


def code_of(answer: Answer) -> str:
    body = answer[1]
    code: str = body.get("error", {}).get("code", "") if isinstance(body, dict) else ""
    return code


def route_of(one: RestRow) -> str:
    return resolve(filled(one.path, dict.fromkeys(one.id_names, ABSENT))).route


def rest_routes() -> dict[str, set[str]]:
    """Return the methods of every address below /api/v1/ but those of tools."""
    found = {}
    for route, pattern in every_route():
        if route.startswith("api/v1/") and route != OF_TOOLS:
            view = pattern.callback.cls  # type: ignore[attr-defined]  # every view of the API is a class
            found[route] = {method for method in METHODS if hasattr(view, method)}
    return found
