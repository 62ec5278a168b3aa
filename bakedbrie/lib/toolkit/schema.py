"""Input model to the JSON schema that the strictest MCP client takes: one flat object, no references, no unions."""

from __future__ import annotations

from typing import Any

from bakedbrie.lib.toolkit.inputs import Input

_DROPPED = ("title", "default")


def input_schema(model: type[Input]) -> dict[str, Any]:
    """Return the schema: references inlined, ``X or null`` written as optional ``X``, titles left out."""
    raw = model.model_json_schema()
    definitions = raw.pop("$defs", {})
    schema: dict[str, Any] = _flatten(raw, definitions)
    schema.pop("description", None)
    schema.setdefault("properties", {})
    return schema


def _flatten(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_flatten(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = definitions[node["$ref"].rsplit("/", 1)[-1]]
        return _flatten({**target, **{key: value for key, value in node.items() if key != "$ref"}}, definitions)
    if "anyOf" in node:
        choices = [choice for choice in node["anyOf"] if choice != {"type": "null"}]
        if len(choices) == 1:
            rest = {key: value for key, value in node.items() if key != "anyOf"}
            return _flatten({**choices[0], **rest}, definitions)
    flat: dict[str, Any] = {}
    for key, value in node.items():
        if key == "properties":
            flat[key] = {name: _flatten(child, definitions) for name, child in value.items()}
        elif key == "const":
            flat["enum"] = [value]
        elif key not in _DROPPED or not isinstance(value, str | int | float | bool | None | list):
            flat[key] = _flatten(value, definitions)
    return flat
