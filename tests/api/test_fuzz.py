"""Calls that schemathesis makes up from the OpenAPI document, right and wrong ones: no crash, nothing undocumented.

The same few calls in every run; `make fuzz` makes up new ones until it is stopped.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django.fixtures import Settings
from schemathesis import APIOperation, Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from bakedbrie.api.catalog import TOOLS
from bakedbrie.api.openapi_document import document
from bakedbrie.lib.toolkit.tool import Effect
from tests.api.openapi import complaints
from tests.api.world import World, make_world, taken_back
from tests.support.fake_provider import FakeProvider
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "4"))
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
# Names of arguments that stand for something of the world under another name.
STANDS_FOR = {
    "stage_id": "doing",
    "from_stage_id": "extra_stage",
    "to_stage_id": "done",
    "before_card_id": "second_card",
    "after_card_id": "second_card",
    "scope_id": "board",
    "owner": "agent_owner",
}
TOOL_PREFIX = "/api/v1/tools/"


@pytest.fixture
def world(alice: Caller, charlie: Caller, settings: Settings) -> Iterator[World]:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        settings.CALLS_PER_MINUTE = 1_000_000
        yield make_world(alice, charlie, provider)


@pytest.mark.parametrize("is_tool", [True, False], ids=["tools", "resources"])
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["right", "wrong"])
def test_no_call_crashes_and_every_answer_is_documented(world: World, mode: GenerationMode, is_tool: bool) -> None:
    token = world.inside["owner"]._credentials["HTTP_AUTHORIZATION"]  # type: ignore[attr-defined]
    tried = 0
    for operation in operations():
        if operation.path.startswith(TOOL_PREFIX) is is_tool and can_be_wrong(operation, mode):
            _fuzz(operation, mode, world.ids, token)
            tried += 1

    assert tried > 15


def operations() -> list[APIOperation[Any, Any, Any, Any]]:
    schema = schemathesis.openapi.from_dict(document())
    schema.app = get_wsgi_application()
    found = list(schema.get_all_operations())
    return [one.ok() for one in found if isinstance(one, Ok)]


def can_be_wrong(operation: APIOperation[Any, Any, Any, Any], mode: GenerationMode) -> bool:
    """A call without a body and a query has nothing that could be wrong but the way it is sent."""
    return mode is GenerationMode.POSITIVE or bool(operation.body or operation.query)


def _fuzz(operation: APIOperation[Any, Any, Any, Any], mode: GenerationMode, ids: dict[str, str], token: str) -> None:
    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(generation_mode=mode), is_real=st.sampled_from([True, True, False]))
    def run(case: Case[Any], is_real: bool) -> None:
        if is_real:
            case.path_parameters = real(case.path_parameters, ids)
            case.query = real(case.query, ids)
            case.body = real(case.body, ids)
        case.headers["Authorization"] = token
        with taken_back(is_undone(operation.path)):
            response = case.call()
        case.validate_response(response, checks=CHECKS)
        media_type = (response.headers.get("content-type") or [""])[0]
        wrong = complaints(operation.method.upper(), operation.path, response.status_code, media_type, response.content)
        assert wrong == []

    run()


def is_undone(path: str) -> bool:
    """A call that sends must find no transaction open."""
    name = path.removeprefix(TOOL_PREFIX)
    return name not in TOOLS or TOOLS[name].effect is not Effect.SEND


def real(given_values: Any, ids: dict[str, str]) -> Any:
    """Put ids of the world in the place of made-up ones."""
    if not isinstance(given_values, dict):
        return given_values
    return {
        name: ids.get(STANDS_FOR.get(name, name.removesuffix("_id")), value) for name, value in given_values.items()
    }
