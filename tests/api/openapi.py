"""The OpenAPI document as a judge of answers: a status that it does not name and a field that it does not know fail."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from bakedbrie.api.openapi_document import document


@cache
def operations() -> dict[tuple[str, str], dict[str, Any]]:
    """Return every operation by method and path."""
    paths = document()["paths"]
    return {(method.upper(), path): one for path, methods in paths.items() for method, one in methods.items()}


def complaints(method: str, path: str, status: int, media_type: str, body: bytes) -> list[str]:
    """Return what is wrong with an answer, as far as the document tells."""
    responses = operations()[method, path]["responses"]
    if str(status) not in responses:
        return [f"undocumented status {status}"]
    response = _resolved(responses[str(status)])
    content = response.get("content", {})
    if not content:
        return ["a body where none is documented"] if body else []
    if "*/*" in content:
        return []
    name = media_type.partition(";")[0]
    if name not in content:
        return [f"undocumented media type {name}"]
    return [f"{one.json_path}: {one.message}" for one in _judge(content[name]["schema"]).iter_errors(json.loads(body))]


def _judge(schema: dict[str, Any]) -> Draft202012Validator:
    return Draft202012Validator({**schema, "components": {"schemas": _closed()}})


@cache
def _closed() -> dict[str, Any]:
    """Return the schemas of the document so that they take nothing they do not name; refusals carry details."""
    schemas: dict[str, Any] = document()["components"]["schemas"]
    return {
        name: {**schema, "additionalProperties": False}
        if name != "Refused" and schema.get("properties") and "additionalProperties" not in schema
        else schema
        for name, schema in schemas.items()
    }


def _resolved(node: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in node:
        return node
    found: Any = document()
    for part in node["$ref"].removeprefix("#/").split("/"):
        found = found[part]
    return dict(found)
