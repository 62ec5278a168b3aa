"""Tools as clients must be able to take them: names, schemas, size, and what a tool says of itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from bakedbrie.api.catalog import TOOLS, _checked, described
from bakedbrie.lib.toolkit.tool import Effect, Tool
from workspaces import capabilities
from workspaces.caller import Caller

BASE = {
    "list_boards",
    "read_board",
    "list_cards",
    "read_card",
    "create_board",
    "create_card",
    "add_comment",
    "preview_move",
    "move_card",
    "reorder_card",
}
COMBINING = {"anyOf", "oneOf", "allOf", "not", "if", "$ref", "$defs"}
PROPERTY_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")

# A token of English text and JSON is about four characters long; three and a half is on the safe side.
CHARACTERS_PER_TOKEN = 3.5
MOST_TOKENS = 12_500

every_tool = pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)


@pytest.mark.requirement("W051", "B003", "B028")
def test_the_ten_base_tools_need_no_capability() -> None:
    assert {tool.name for tool in TOOLS.values() if tool.is_base} == BASE
    assert {tool.name for tool in TOOLS.values() if not tool.capabilities} == BASE


@every_tool
def test_capabilities_exist(tool: Tool[Caller]) -> None:
    assert set(tool.capabilities) <= set(capabilities.TEXTS)


@pytest.mark.requirement("C007")
def test_names_fit_every_client() -> None:
    for name in TOOLS:
        assert re.fullmatch(r"[a-z][a-z0-9_]*", name)
        assert len("bakedbrie") + len(name) <= 60
        assert len("mcp__bakedbrie__") + len(name) <= 64


def test_a_name_defined_twice_stops_the_start() -> None:
    whoami = TOOLS["whoami"]

    with pytest.raises(ValueError, match="whoami"):
        _checked(whoami, whoami)


@pytest.mark.requirement("C006")
@every_tool
def test_schemas_fit_the_strictest_client(tool: Tool[Caller]) -> None:
    schema = described(tool.name)["inputSchema"]

    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert COMBINING.isdisjoint(schema)
    assert set(schema.get("required", [])) <= set(schema["properties"])
    for node in _nodes(schema):
        assert "$ref" not in node
        assert not isinstance(node.get("type"), list)
        assert node.get("type") != "array" or "items" in node
        for name, child in node.get("properties", {}).items():
            assert PROPERTY_NAME.fullmatch(name)
            assert isinstance(child, dict)


@every_tool
def test_every_property_has_a_type_or_choices(tool: Tool[Caller]) -> None:
    properties = described(tool.name)["inputSchema"]["properties"]

    assert [name for name, node in properties.items() if not {"type", "enum", "anyOf"} & set(node)] == []


@pytest.mark.requirement("W058")
@every_tool
def test_every_tool_takes_a_request_id_that_no_input_model_sees(tool: Tool[Caller]) -> None:
    assert "request_id" in described(tool.name)["inputSchema"]["properties"]
    assert "request_id" not in tool.input.model_fields


@every_tool
def test_a_tool_with_actions_lists_them_in_one_enum(tool: Tool[Caller]) -> None:
    action = described(tool.name)["inputSchema"]["properties"].get("action")

    if action is None:
        assert tool.reads == frozenset()
    else:
        assert set(tool.reads) < set(action["enum"])


@every_tool
def test_annotations_say_what_the_handler_does(tool: Tool[Caller]) -> None:
    annotations = described(tool.name)["annotations"]

    assert annotations["readOnlyHint"] is (tool.effect is Effect.READ)
    assert annotations["openWorldHint"] is (tool.effect is Effect.SEND)
    assert not (annotations["readOnlyHint"] and annotations["destructiveHint"])


@every_tool
def test_every_tool_is_described_in_words(tool: Tool[Caller]) -> None:
    assert tool.title
    assert tool.title[0].isupper()
    assert tool.description.endswith(".")
    assert len(tool.description) <= 1024


def test_the_whole_list_is_small_enough_to_live_in_a_prompt() -> None:
    text = json.dumps([described(name) for name in TOOLS], separators=(",", ":"))

    assert len(text) / CHARACTERS_PER_TOKEN < MOST_TOKENS


def _nodes(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _nodes(child)
