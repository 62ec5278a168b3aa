"""The OpenAPI document, made from what the views say of themselves, the input models and the read serializers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from itertools import groupby
from types import FunctionType
from typing import Any

from drf_spectacular.generators import EndpointEnumerator, SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, inline_serializer
from rest_framework.fields import CharField
from rest_framework.serializers import Serializer

from bakedbrie.api.catalog import TOOLS, described
from bakedbrie.api.reachable import refusals_of
from bakedbrie.api.refusals import BODY_TOO_LARGE, MEDIA_TYPE_UNSUPPORTED, NOT_ACCEPTABLE
from bakedbrie.api.tool_answers import ANSWERS, NEXT_CURSOR
from bakedbrie.api.tool_views import ToolCallView
from bakedbrie.lib.refusals import INTERNAL_ERROR, INVALID_INPUT, NOT_FOUND, RATE_LIMITED, Refusal
from bakedbrie.lib.toolkit.schema import input_schema
from bakedbrie.lib.toolkit.tool import Tool
from bakedbrie.lib.web.errors import BAD_REQUEST
from bakedbrie.lib.web.operation import Operation, operation_of
from bakedbrie.reference.examples import EXAMPLES, REST_EXAMPLES
from workspaces.caller import Caller
from workspaces.refusals import (
    OUTCOME_UNKNOWN,
    REQUEST_ID_REUSED,
    REQUEST_IN_PROGRESS,
    TOKEN_READ_ONLY,
    TOKEN_REVOKED,
    UNAUTHENTICATED,
)

PREFIX = "/api/v1/"
TOOL_PATH = f"{PREFIX}tools/{{name}}"

_ALWAYS = {BAD_REQUEST, INVALID_INPUT, UNAUTHENTICATED, TOKEN_REVOKED, NOT_ACCEPTABLE, RATE_LIMITED, INTERNAL_ERROR}
_WITH_BODY = {BODY_TOO_LARGE, MEDIA_TYPE_UNSUPPORTED}
_OF_WRITES = {OUTCOME_UNKNOWN, REQUEST_ID_REUSED, REQUEST_IN_PROGRESS, TOKEN_READ_ONLY}
_REQUEST_ID = {"type": "string", "pattern": r"^[A-Za-z0-9._:\-]{1,100}$"}
_BYTES = {"type": "string", "format": "binary"}


class OneToolView(ToolCallView):
    """Stands for one tool in the document."""

    tool: Tool[Caller]


class _Endpoints(EndpointEnumerator):
    """Puts every tool in the place of the one route that serves them all."""

    def get_api_endpoints(self, patterns: Any = None, prefix: str = "") -> list[Any]:
        endpoints = super().get_api_endpoints(patterns, prefix)  # type: ignore[no-untyped-call]
        return [one for endpoint in endpoints for one in self._spread(endpoint)]

    def should_include_endpoint(self, path: str, callback: Any) -> bool:
        return path.startswith(PREFIX) and bool(super().should_include_endpoint(path, callback))

    def _spread(self, endpoint: Any) -> Iterator[Any]:
        if endpoint[0] != TOOL_PATH:
            yield endpoint
            return
        for tool in TOOLS.values():
            view: type[OneToolView] = type("OneToolView", (OneToolView,), {"tool": tool})
            path = TOOL_PATH.format(name=tool.name)
            yield path, path, endpoint[2], view.as_view()


class Generator(SchemaGenerator):
    endpoint_inspector_cls = _Endpoints


class OperationSchema(AutoSchema):
    """One operation of the document."""

    method: str
    path: str
    view: Any

    @property
    def tool(self) -> Tool[Caller] | None:
        return getattr(self.view, "tool", None)

    @property
    def handler(self) -> FunctionType:
        found = getattr(type(self.view), self.method.lower())
        if not isinstance(found, FunctionType):
            raise TypeError(f"{found} is no method.")
        return found

    @property
    def said(self) -> Operation:
        """What the view says of itself; a view that says nothing stops the document."""
        found = operation_of(self.handler)
        if found is None:
            raise TypeError(f"{self.handler.__qualname__} lacks its Operation.")
        return found

    def get_operation_id(self) -> str:
        if self.tool:
            return f"call_{self.tool.name}"
        parts = self.path.removeprefix(PREFIX).replace("{", "").replace("}", "").split("/")
        return "_".join([self.method.lower(), *parts])

    def get_tags(self) -> list[str]:
        return [self.path.removeprefix(PREFIX).split("/")[0]]

    def get_summary(self) -> str:
        return self.tool.title if self.tool else self.said.summary

    def get_description(self) -> str:  # type: ignore[override]  # as drf-spectacular has it
        if self.tool:
            return self.tool.description
        return " ".join((self.handler.__doc__ or type(self.view).__doc__ or "").split())

    def get_auth(self) -> list[Any]:
        return [{"token": []}, {"key": []}]

    def get_override_parameters(self) -> list[Any]:
        parameters = list(_query_parameters(self.said))
        if self.method != "GET":
            parameters.append(
                OpenApiParameter(
                    "X-Request-Id",
                    _REQUEST_ID,
                    OpenApiParameter.HEADER,
                    description="The same call repeated with the same id acts once and answers the same.",
                )
            )
        return parameters

    def get_request_serializer(self) -> Any:
        if self.tool:
            return {"application/json": described(self.tool.name)["inputSchema"]}
        if self.said.body:
            return {"application/json": input_schema(self.said.body)}
        form = {"type": "object", "properties": {"file": _BYTES}, "required": ["file"]}
        return {name: form if name.startswith("multipart") else _BYTES for name in self.said.takes}

    def _get_request_body(self, direction: Any = "request") -> Any:
        body = super()._get_request_body(direction)  # type: ignore[no-untyped-call]
        if body:
            body["required"] = bool(self.said.takes) or any(
                content["schema"].get("required") for content in body["content"].values()
            )
        return body

    def get_examples(self) -> list[OpenApiExample]:
        value = EXAMPLES[self.tool.name] if self.tool else REST_EXAMPLES.get(self.get_operation_id())
        return [] if value is None else [OpenApiExample("A call that works", value=value, request_only=True)]

    def get_response_serializers(self) -> Any:
        said = self.said
        answers: dict[Any, Any] = {(said.status, *self._media_types()): self._success()}
        refused = sorted(self._refusals(), key=lambda refusal: (refusal.status, refusal.code))
        for status, group in groupby(refused, key=lambda refusal: refusal.status):
            answers[(status, "application/json")] = _refused(status, list(group))
        return answers

    def _media_types(self) -> list[str]:
        return ["*/*"] if self.said.is_download else ["application/json"]

    def _success(self) -> Any:
        name = "".join(part.title() for part in self.get_operation_id().split("_"))
        if self.said.is_download:
            return OpenApiResponse(_BYTES, description="The bytes.")
        if self.tool:
            content = ANSWERS[self.tool.name]
            if not isinstance(content, Serializer):
                content = inline_serializer(f"{name}Data", fields=dict(content))
            fields = {"untrusted_data": content, "request_id": CharField()}
        elif self.said.answer is None:
            return OpenApiResponse(None, description="It is good; there is nothing to say.")
        else:
            paging = {"next_cursor": NEXT_CURSOR} if self.said.is_paged else {}
            fields = {**self.said.answer, **paging, "request_id": CharField()}
        return OpenApiResponse(inline_serializer(f"{name}Answer", fields=fields), description="Done.")

    def _refusals(self) -> set[Refusal]:
        found = set(refusals_of(self.handler, type(self.view))) | _ALWAYS
        if self.method != "GET":
            found |= _WITH_BODY
        if self.tool:
            found = found - {NOT_FOUND} | refusals_of(self.tool.handler)
            found -= _OF_WRITES if self.tool.only_reads else set()
        return found

    def _is_list_view(self, serializer: Any = None) -> bool:
        return False


def _query_parameters(said: Operation) -> Iterator[OpenApiParameter]:
    if said.query is None:
        return
    schema = input_schema(said.query)
    for name, node in schema["properties"].items():
        shape = {key: value for key, value in node.items() if key != "description"}
        yield OpenApiParameter(
            name,
            shape,
            OpenApiParameter.QUERY,
            description=node.get("description", ""),
            required=name in schema.get("required", []),
        )


def _refused(status: int, group: Iterable[Refusal]) -> OpenApiResponse:
    told = "\n".join(f"- `{refusal.code}`: {refusal.message} {refusal.fix}".rstrip() for refusal in group)
    codes: Mapping[str, Any] = {"type": "string", "enum": [refusal.code for refusal in group]}
    error = {"type": "object", "properties": {"code": codes}}
    schema = {
        "allOf": [{"$ref": "#/components/schemas/Refused"}, {"type": "object", "properties": {"error": error}}],
    }
    return OpenApiResponse(schema, description=f"{HTTPStatus(status).phrase}\n\n{told}")
