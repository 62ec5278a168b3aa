"""Inputs that tell every problem at once, and the flat schemas that strict clients take."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import ActionInput, Id, Input, Name, Title, parse
from bakedbrie.lib.toolkit.schema import input_schema
from bakedbrie.lib.toolkit.tool import Effect, Tool
from bakedbrie.lib.toolkit.untrusted import wrap


class Place(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    stage: Id
    title: str | None = Field(default=None, description="A field that is called like a keyword of schemas.")


class RichIn(Input):
    """Everything a model may hold."""

    name: Name
    colour: Literal["red", "blue"] | None = None
    kind: Literal["card"] = "card"
    place: Place | None = Field(default=None, description="Where it goes.")
    places: list[Place] = Field(default_factory=list, max_length=3)
    default: dict[str, str] = Field(default_factory=dict)
    count: Annotated[int, Field(ge=1, le=50)] | None = None
    anything: list[Any] = []
    title: Title | None = None


class ManageIn(ActionInput):
    action: Literal["read", "rename", "move"]
    stage_id: Id | None = None
    name: Name | None = None
    position: int | None = None

    needs: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "read": (),
        "rename": ("stage_id", "name"),
        "move": ("stage_id", "position"),
    }
    takes: ClassVar[Mapping[str, tuple[str, ...]]] = {"read": ("stage_id",)}


class OneName(Input):
    name: Name


def fields(model: type[Input], raw: object) -> dict[str, list[str]]:
    with pytest.raises(Refused) as refused:
        parse(model, raw)
    assert refused.value.code == "INVALID_INPUT"
    told = refused.value.body()["fields"]
    assert isinstance(told, dict)
    return told


def test_an_action_with_what_it_needs_is_taken() -> None:
    taken = parse(ManageIn, {"action": "rename", "stage_id": "s1", "name": "  Ready  "})

    assert (taken.action, taken.stage_id, taken.name) == ("rename", "s1", "Ready")


def test_an_action_takes_what_is_optional_and_lets_nulls_pass() -> None:
    assert parse(ManageIn, {"action": "read"}).stage_id is None
    assert parse(ManageIn, {"action": "read", "stage_id": "s1", "name": None, "position": None}).stage_id == "s1"


def test_every_missing_and_surplus_field_of_an_action_is_told_by_name() -> None:
    assert fields(ManageIn, {"action": "rename", "position": 2}) == {
        "stage_id": ["needed by rename"],
        "name": ["needed by rename"],
        "position": ["not taken by rename"],
    }


def test_a_zero_is_given_and_not_missing() -> None:
    assert parse(ManageIn, {"action": "move", "stage_id": "s1", "position": 0}).position == 0


def test_every_problem_of_the_fields_is_told_at_once() -> None:
    told = fields(RichIn, {"name": "", "colour": "green", "places": [{"stage": 7}], "count": 0, "extra": 1})

    assert set(told) == {"name", "colour", "places.0.stage", "count", "extra"}


@pytest.mark.parametrize("value", ["5", 5.0, True, 1e2, "１"])
def test_no_value_is_quietly_turned_into_a_number(value: object) -> None:
    assert set(fields(ManageIn, {"action": "move", "stage_id": "s1", "position": value})) == {"position"}


@pytest.mark.parametrize("raw", [None, [], "text", 7])
def test_what_is_no_object_is_refused(raw: object) -> None:
    assert set(fields(ManageIn, raw)) == {""}


@pytest.mark.parametrize(
    "raw",
    [
        {"name": "a\x00b"},
        {"name": "\ud83d"},
        {"name": "a", "default": {"k\x00": "v"}},
        {"name": "a", "anything": [[{"deep": ["\x00"]}]]},
    ],
)
def test_text_that_postgres_cannot_hold_is_refused_wherever_it_hides(raw: object) -> None:
    assert fields(RichIn, raw)


@pytest.mark.requirement("C062")
def test_deep_arguments_are_refused_before_anything_recurses() -> None:
    deep: list[Any] = []
    for _ in range(20_000):
        deep = [deep]

    assert fields(RichIn, {"name": "a", "anything": deep}) == {"": ["may not be nested deeper than 20 levels"]}


@pytest.mark.requirement("C088")
@pytest.mark.parametrize(
    "name",
    [
        "",
        "   ",
        "\u200b",
        "\u200d",
        "\u0301",
        "\u00ad\u200b",
        "\u3164",
        "\u115f\u1160",
        "\uffa0",
        "\u2800\u2800",
        "\u180e",
        "\ufe0f",
        "\u034f",
        "a\nb",
        "a\tb",
        "a\u2028b",
        "a\x1b",
        "invoice\u202efdp.exe",
        "\u2067a\u2069",
        "x" * 121,
    ],
    ids=ascii,
)
def test_a_name_that_is_empty_to_the_eye_or_no_line_is_refused(name: str) -> None:
    assert set(fields(OneName, {"name": name})) == {"name"}


@pytest.mark.requirement("C088")
@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("🎉", "🎉"),
        ("=1+1", "=1+1"),
        ("null", "null"),
        ("0", "0"),
        ("__proto__", "__proto__"),
        ("مرحبا hello", "مرحبا hello"),
        (" Cafe\u0301 ", "Café"),
        ("\u3164\u200bAda\u00ad\u2800 ", "Ada"),
        ("Ada\u3164Love\u00adlace", "Ada\u3164Love\u00adlace"),
        ("❤\ufe0f", "❤\ufe0f"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("🏴\U000e0067\U000e0062\U000e007f", "🏴\U000e0067\U000e0062\U000e007f"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("Αdmin", "Αdmin"),
        ("ａｄｍｉｎ", "ａｄｍｉｎ"),
        ("@cmd", "@cmd"),
    ],
    ids=ascii,
)
def test_an_odd_name_is_kept_in_one_normal_form(name: str, kept: str) -> None:
    assert parse(OneName, {"name": name}).name == kept


def test_a_name_is_measured_as_it_will_be_stored() -> None:
    grows = "\u0958" * 120

    assert len(unicodedata.normalize("NFC", grows)) == 240
    assert fields(OneName, {"name": grows}) == {"name": ["must have at most 120 characters"]}


@given(st.text(max_size=150))
def test_any_text_is_a_storable_name_or_refused(text: str) -> None:
    try:
        name = parse(OneName, {"name": text}).name
    except Refused:
        return
    assert 1 <= len(name) <= 120
    assert name == unicodedata.normalize("NFC", name).strip()
    name.encode()
    assert parse(OneName, {"name": name}).name == name


def test_a_schema_is_one_flat_object() -> None:
    schema = input_schema(RichIn)

    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert schema["required"] == ["name"]
    assert schema["properties"]["colour"] == {"enum": ["red", "blue"], "type": "string"}
    assert schema["properties"]["kind"] == {"enum": ["card"], "type": "string"}
    assert schema["properties"]["count"] == {"maximum": 50, "minimum": 1, "type": "integer"}
    assert schema["properties"]["place"]["description"] == "Where it goes."
    assert set(schema["properties"]["place"]["properties"]) == {"stage", "title"}
    assert schema["properties"]["places"]["items"]["required"] == ["stage"]
    assert schema["properties"]["title"]["maxLength"] == 300


@pytest.mark.requirement("C006")
@pytest.mark.parametrize("model", [RichIn, ManageIn, OneName, Input])
def test_a_schema_survives_the_strictest_client(model: type[Input]) -> None:
    schema = input_schema(model)

    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert not list(_faults(schema, "$"))


def _faults(node: dict[str, Any], path: str) -> Any:
    for keyword in ("$ref", "$defs", "anyOf", "oneOf", "allOf", "not", "if", "const", "default", "prefixItems"):
        if keyword in node:
            yield f"{path}: {keyword}"
    if isinstance(node.get("type"), list) or (node.get("type") == "array" and "items" not in node):
        yield f"{path}: type"
    for name, child in node.get("properties", {}).items():
        yield from _faults(child, f"{path}.{name}") if isinstance(child, dict) else [f"{path}.{name}"]
    if "items" in node:
        yield from _faults(node["items"], f"{path}[]")


def test_the_schema_and_the_model_take_the_same_example() -> None:
    raw = {
        "name": "A",
        "colour": "red",
        "place": {"stage": "s1"},
        "places": [{"stage": "s2", "title": "T"}],
        "count": 3,
    }

    jsonschema.validate(raw, input_schema(RichIn))
    assert parse(RichIn, raw).colour == "red"


def test_a_writing_tool_knows_which_of_its_actions_only_read() -> None:
    tool: Tool[object] = Tool(
        name="manage_stages",
        title="Manage stages",
        description="Stages.",
        input=ManageIn,
        handler=lambda caller, taken: {},
        effect=Effect.WRITE,
        reads=frozenset({"read"}),
    )

    assert tool.effect_of({"action": "read"}) is Effect.READ
    assert tool.effect_of({"action": "move"}) is Effect.WRITE
    assert tool.effect_of({"action": ["read"]}) is Effect.WRITE
    assert tool.effect_of(None) is Effect.WRITE
    assert tool.only_reads is False


@pytest.mark.requirement("W062")
def test_an_answer_travels_wrapped() -> None:
    assert wrap({"id": "1"}, "r1") == {"untrusted_data": {"id": "1"}, "request_id": "r1"}
