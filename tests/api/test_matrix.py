"""Everybody calls every tool: nobody gets what is not theirs, nothing is written for who may not, nothing crashes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TypeAlias

import pytest
from pytest_django.fixtures import Settings
from rest_framework.test import APIClient

from bakedbrie.api.catalog import TOOLS, described
from bakedbrie.lib.toolkit.tool import Effect, Tool
from tests.api.matrix import ROWS, Row
from tests.api.world import ABSENT, OF_THE_WORKSPACE, RANK, World, make_world, one_replaced, taken_back, watched
from tests.support.fake_provider import FakeProvider
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db

Answer: TypeAlias = tuple[int, dict[str, Any]]

ODD_IDS = ["no id", "", "' OR 1=1 --", "{" + ABSENT + "}", "0" * 64]


@pytest.fixture
def world(alice: Caller, charlie: Caller, settings: Settings) -> Iterator[World]:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        settings.CALLS_PER_MINUTE = 1_000_000
        yield make_world(alice, charlie, provider)


def test_every_tool_and_every_action_has_a_row() -> None:
    offered = {
        name: set(described(name)["inputSchema"]["properties"].get("action", {}).get("enum", [])) for name in TOOLS
    }
    tried = {
        name: {one.arguments["action"] for one in rows if "action" in one.arguments} for name, rows in ROWS.items()
    }

    assert tried == offered


def test_every_argument_that_takes_an_id_is_in_a_row() -> None:
    taken = {name: set(id_arguments(described(name)["inputSchema"])) for name in TOOLS}
    tried = {
        name: {argument for one in rows for argument in named_arguments(one.arguments)} for name, rows in ROWS.items()
    }

    assert {name: missing for name in TOOLS if (missing := taken[name] - tried[name])} == {}


def test_the_owner_gets_what_each_row_says_and_content_is_wrapped(world: World) -> None:
    wrong = {}
    for label, tool, one in every_row():
        status, body = call(world.inside["owner"], tool, one.filled(world.ids))
        if code_of((status, body)) != one.code or set(body) != {"error" if one.code else "untrusted_data"}:
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


@pytest.mark.requirement("W002", "C092")
def test_one_foreign_id_among_own_ones_is_an_absent_one(world: World) -> None:
    """Each id by itself, also in lists: the others are right, and the foreign one is of something that exists."""
    wrong = {}
    for label, tool, one in every_row():
        for name in one.id_names:
            for who, others in (("owner", world.foreign), ("manager", world.closed)):
                foreign, absent = (
                    call(world.inside[who], tool, one.filled(one_replaced(world.ids, name, by)))
                    for by in (others[name], ABSENT)
                )
                is_hidden = who == "owner" or name not in OF_THE_WORKSPACE
                if is_hidden and told(foreign, others[name]) != told(absent, ABSENT):
                    wrong[f"{label} {name} {who}"] = (foreign, absent)

    assert wrong == {}


@pytest.mark.requirement("W007", "B045")
def test_a_member_without_the_board_finds_nothing_of_it(world: World) -> None:
    of_the_board = {name: value for name, value in world.ids.items() if name not in OF_THE_WORKSPACE}
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
        name: {code_of(call(client, tool, one.filled(world.ids))) for _, tool, one in every_row()}
        for name, client in world.gone.items()
    }

    assert codes == {name: {"TOKEN_REVOKED"} for name in ("removed", "off", "revoked", "expired")}


@pytest.mark.requirement("W005", "W009", "W010", "C095", "C098")
def test_presets_and_roles_bind_and_nothing_is_written_for_who_may_not(world: World) -> None:
    """A read writes no row, whatever it shows, and a refusal leaves none behind."""
    wrong = {}
    for label, tool, one in every_row():
        for name, code in expected_codes(tool, one).items():
            with watched() as written:
                got = code_of(call(world.everybody()[name], tool, one.filled(world.ids)))
            if got != code or (written and (is_read(tool, one) or code != one.code)):
                wrong[f"{label} {name}"] = (got, written)

    assert wrong == {}


def expected_codes(tool: Tool[Caller], one: Row) -> dict[str, str]:
    """Return what each role and preset gets: the owner's answer, or why not."""
    expected = {
        "runner": one.code if tool.serves_runner else "TOKEN_RUNNER_ONLY",
        "read_only": one.code if is_read(tool, one) else "TOKEN_READ_ONLY",
    }
    for role, rank in RANK.items():
        if is_read(tool, one) or rank >= RANK[one.least]:
            # A question whether they agree comes before the drop is looked at, so that a yes still finds it.
            uses_drop = "drop" in one.id_names and one.code != "CONFIRMATION_NEEDED"
            expected[role] = "SECRET_DROP_EXPIRED" if uses_drop and role != "owner" else one.code
        else:
            expected[role] = "NOT_BOARD_MANAGER" if one.least == "manager" and role == "member" else "FORBIDDEN"
    return expected


def is_read(tool: Tool[Caller], one: Row) -> bool:
    return tool.effect_of(one.arguments) is Effect.READ


def every_row() -> Iterator[tuple[str, Tool[Caller], Row]]:
    for name, rows in ROWS.items():
        for number, one in enumerate(rows):
            yield f"{name} {one.arguments.get('action', number)}", TOOLS[name], one


def id_arguments(schema: dict[str, Any], path: str = "") -> Iterator[str]:
    """Return the arguments that take ids, with those inside of others."""
    for name, child in schema.get("properties", {}).items():
        if name not in {"request_id", "access_key_id"} and (name.endswith(("_id", "_ids")) or name == "owner"):
            yield f"{path}{name}"
        yield from id_arguments(child, f"{path}{name}.")


def named_arguments(arguments: dict[str, Any], path: str = "") -> Iterator[str]:
    for name, value in arguments.items():
        if isinstance(value, dict):
            yield from named_arguments(value, f"{path}{name}.")
        elif "$" in str(value):
            yield f"{path}{name}"


def told(answer: Answer, asked: str) -> str:
    """Return the answer without the id that was asked for: a hash over it may differ, nothing else."""
    return json.dumps(answer).replace(asked, "the id")


def call(client: APIClient, tool: Tool[Caller], arguments: dict[str, Any]) -> Answer:
    """Call, and take back what a writing call changed."""
    with taken_back(tool.effect is not Effect.SEND):
        response = client.post(f"/api/v1/tools/{tool.name}", arguments, format="json")
    assert response.status_code != 500, (response.request, response.content)
    body: dict[str, Any] = response.json()
    body.pop("request_id")
    return response.status_code, body


def code_of(answer: Answer) -> str:
    code: str = answer[1].get("error", {}).get("code", "")
    return code
