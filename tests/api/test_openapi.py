"""The OpenAPI document: valid, whole, and told by the code itself."""

from __future__ import annotations

import json
import re

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from drf_spectacular.drainage import GENERATOR_STATS
from openapi_spec_validator import validate
from pytest_django.fixtures import Settings

from bakedbrie.api.catalog import TOOLS
from bakedbrie.api.openapi import Generator
from bakedbrie.api.openapi_document import document
from bakedbrie.api.reachable import refusals_of
from tests.api.openapi import operations
from tests.api.test_rest_matrix import rest_routes
from workflows.tools.moves import move_card


def codes_of(operation_id: str) -> set[str]:
    (operation,) = [one for one in operations().values() if one["operationId"] == operation_id]
    names = [response["$ref"].rsplit("/", 1)[-1] for response in operation["responses"].values() if "$ref" in response]
    responses = document()["components"]["responses"]
    schemas = [responses[name]["content"]["application/json"]["schema"] for name in names]
    return {code for one in schemas for code in one["allOf"][1]["properties"]["error"]["properties"]["code"]["enum"]}


def test_it_is_valid_and_nothing_in_it_was_guessed() -> None:
    GENERATOR_STATS.reset()

    Generator().get_schema(public=True)  # type: ignore[no-untyped-call]
    validate(document())

    assert document()["openapi"] == "3.1.0"
    assert (dict(GENERATOR_STATS._warn_cache), dict(GENERATOR_STATS._error_cache)) == ({}, {})


def test_every_method_of_every_address_and_every_tool_is_in_it_and_nothing_else() -> None:
    routes = {
        (method.upper(), "/" + re.sub(r"<str:(\w+)>", r"{\1}", route))
        for route, methods in rest_routes().items()
        for method in methods
    }

    assert set(operations()) == routes | {("POST", f"/api/v1/tools/{name}") for name in TOOLS}


def test_every_operation_has_a_name_of_its_own_words_and_both_ways_to_sign_in() -> None:
    ids = [one["operationId"] for one in operations().values()]

    assert len(ids) == len(set(ids))
    assert [one["operationId"] for one in operations().values() if not one.get("summary")] == []
    assert {str(one["security"]) for one in operations().values()} == {"[{'token': []}, {'key': []}]"}
    assert set(document()["components"]["securitySchemes"]) == {"token", "key"}


def test_every_body_of_json_has_an_example_that_its_schema_takes() -> None:
    bodies = {
        one["operationId"]: one["requestBody"]["content"].get("application/json")
        for one in operations().values()
        if "requestBody" in one
    }

    assert [name for name, body in bodies.items() if body and not body.get("examples")] == []
    assert {name for name, body in bodies.items() if body is None} == {"post_cards_card_id_files", "post_drops_drop_id"}


def test_lists_take_a_cursor_and_answer_the_next_one() -> None:
    paged = {
        path
        for (method, path), one in operations().items()
        if any(parameter["name"] == "cursor" for parameter in one.get("parameters", []))
    }

    assert {"/api/v1/boards", "/api/v1/cards/{card_id}/turns", "/api/v1/audit", "/api/v1/triggers"} <= paged
    for path in paged:
        name = operations()["GET", path]["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
        assert "next_cursor" in document()["components"]["schemas"][name.rsplit("/", 1)[-1]]["required"], path


def test_what_an_operation_can_refuse_is_told_by_the_code_it_reaches() -> None:
    assert {"PREVIEW_REQUIRED", "PREVIEW_CHANGED", "CARD_BUSY", "REQUEST_ID_REUSED"} <= codes_of("call_move_card")
    assert {"FILE_TOO_LARGE", "TOO_MANY_FILES", "CAPABILITY_OFF"} <= codes_of("post_cards_card_id_files")
    assert {"LAST_OWNER", "CARD_BUSY", "REQUEST_ID_REUSED", "TOKEN_READ_ONLY"}.isdisjoint(codes_of("get_boards"))
    assert {refusal.code for refusal in refusals_of(move_card)} >= {"MOVE_INVALID", "NOT_FOUND", "TOKEN_READ_ONLY"}


@pytest.mark.django_db
def test_it_is_served_to_everybody_and_once_to_who_has_it() -> None:
    served = Client().get("/api/schema")
    again = Client().get("/api/schema", headers={"If-None-Match": served["ETag"]})

    assert (served.status_code, served["Content-Type"]) == (200, "application/json")
    assert served.json()["paths"].keys() == document()["paths"].keys()
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.django_db
def test_its_page_asks_nobody_else_for_anything_and_runs_no_script_of_its_own(settings: Settings) -> None:
    page = Client().get("/api/docs")
    html = page.content.decode()
    files = re.findall(r'(?:src|href)="/static/([^"]+)"', html)

    assert page.status_code == 200
    assert "script-src 'self'" in page["Content-Security-Policy"]
    assert "unsafe" not in page["Content-Security-Policy"]
    assert re.findall(r"<script(?![^>]* src=)", html) == []
    assert re.findall(r'(?:src|href)="(?:https?:)?//', html) == []
    assert "bakedbrie/reference.js" in files
    assert [name for name in files if finders.find(name) is None] == []


def test_no_secret_and_no_host_stands_in_it() -> None:
    text = json.dumps(document())

    assert document()["servers"] == [{"url": "/"}]
    assert document("/below/")["servers"] == [{"url": "/below"}]
    assert re.findall(r"bb_[A-Za-z0-9]{8}", text) == []
