"""How a body is read: JSON of limited size and depth, and nothing quietly mended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from bakedbrie.lib import strictjson


class StrictJSONParser(BaseParser):
    """DRF's own parser reads a body of any length into memory."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        most: int = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        raw = stream.read(most + 1)
        if len(raw) > most:
            raise RequestDataTooBig("The body is too large.")
        try:
            return strictjson.loads(raw, unique_keys=True)
        except strictjson.NotJson as error:
            raise ParseError(str(error)) from None
