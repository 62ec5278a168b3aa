"""The address that the command of a secret drop posts to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.fields import CharField, UUIDField
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from bakedbrie.lib.refusals import INVALID_INPUT
from bakedbrie.lib.web.operation import Operation
from workspaces.api.views import CallerView
from workspaces.services.drops import MAX_BYTES, decode_command_body, fill_drop

# Each byte travels as a space and two digits, each sixteen bytes with two characters around them.
_LONGEST_BODY = MAX_BYTES * 4


class _CommandParser(BaseParser):
    """Takes the bytes as they are, and no more of them than a secret can have."""

    media_type = "*/*"

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, bytes]:
        body = stream.read(_LONGEST_BODY + 1)
        if len(body) > _LONGEST_BODY:
            raise INVALID_INPUT(fields={"value": [f"must be text of at most {MAX_BYTES} bytes"]})
        return {"body": body}


class FillDropView(CallerView):
    parser_classes = [_CommandParser]

    @Operation("Fill a secret drop", takes=("text/plain",), answer={"drop_id": UUIDField(), "state": CharField()})
    def post(self, request: Request, drop_id: str) -> Response:
        body = request.data.get("body", b"")
        drop = fill_drop(self.caller, drop_id=drop_id, value=decode_command_body(body))
        return self.answer({"drop_id": str(drop.pk), "state": drop.state})
