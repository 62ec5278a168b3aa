"""How a file arrives: as one multipart field, or as the whole body. Neither is ever whole in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http import HttpRequest
from django.utils.http import parse_header_parameters
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from bakedbrie.lib.refusals import INVALID_INPUT
from bakedbrie.lib.storage import Readable
from bakedbrie.lib.toolkit.inputs import parse_query
from boards.inputs import UploadIn
from boards.refusals import FILE_TOO_LARGE

# What a multipart body may hold around its file.
_ENVELOPE_BYTES = 65_536
FIELD = "file"
# The last boundary of a form stands in here: a boundary has at most 70 characters, little may follow it.
_TAIL_BYTES = 1_024


class OneCappedFile(TemporaryFileUploadHandler):
    """Puts one file on the disk while it arrives, and gives up at the first byte too many."""

    def __init__(self, request: HttpRequest | None = None) -> None:
        super().__init__(request)
        self._files = 0
        self._bytes = 0

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        self._files += 1
        if self._files > 1:
            raise INVALID_INPUT(fields={FIELD: ["send one file per request"]})
        super().new_file(*args, **kwargs)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self._bytes += len(raw_data)
        if self._bytes > settings.FILES_MAX_BYTES:
            self.upload_interrupted()  # nobody else closes a file that is not complete
            raise FILE_TOO_LARGE(max_bytes=settings.FILES_MAX_BYTES)
        super().receive_data_chunk(raw_data, start)


class WholeForm(MultiPartParser):
    """Refuses a form that ends before its last boundary: Django itself would keep what came as if it were all."""

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        watched = _Watched(stream)
        parsed = super().parse(watched, media_type, parser_context)  # type: ignore[arg-type]  # it only calls read
        boundary = parse_header_parameters(media_type or "")[1].get("boundary", "")
        if f"--{boundary}--".encode() not in watched.tail:
            for _, files in parsed.files.lists():
                for file in files:
                    file.close()
            raise INVALID_INPUT(fields={"": ["the form ended before its last boundary"]})
        return parsed


class _Watched:
    """A stream that remembers its last bytes."""

    def __init__(self, source: Readable) -> None:
        self._source = source
        self.tail = b""

    def read(self, size: int, /) -> bytes:
        chunk = self._source.read(size)
        self.tail = (self.tail + chunk)[-_TAIL_BYTES:]
        return chunk


class WholeBody:
    """The body of a request as a stream; one that ends before its announced length is refused, not kept."""

    def __init__(self, source: Readable, length: int) -> None:
        self._source = source
        self._missing = length

    def read(self, size: int, /) -> bytes:
        chunk = self._source.read(min(size, self._missing))
        self._missing -= len(chunk)
        if not chunk and self._missing:
            raise INVALID_INPUT(fields={"": ["the body ended before its Content-Length"]})
        return chunk


def arriving_file(request: Request) -> tuple[str, Readable]:
    """Return name and bytes of the file in this request, or refuse one that is announced as too large."""
    length = _length_of(request)
    if not _is_multipart(request):
        given = parse_query(UploadIn, request.query_params.dict())
        if length > settings.FILES_MAX_BYTES:
            raise FILE_TOO_LARGE(max_bytes=settings.FILES_MAX_BYTES)
        return given.name, WholeBody(request._request, length)  # the body itself, which no parser has touched
    if length > settings.FILES_MAX_BYTES + _ENVELOPE_BYTES:
        raise FILE_TOO_LARGE(max_bytes=settings.FILES_MAX_BYTES)
    request._request.upload_handlers = [OneCappedFile(request._request)]
    uploaded = request.FILES.get(FIELD)
    if not isinstance(uploaded, UploadedFile):
        raise INVALID_INPUT(fields={FIELD: ["send the file in this field, with its name"]})
    return uploaded.name or "", uploaded


def _is_multipart(request: Request) -> bool:
    return (request.content_type or "").partition(";")[0].strip().lower() == "multipart/form-data"


def _length_of(request: Request) -> int:
    text = request.META.get("CONTENT_LENGTH") or "0"
    return int(text) if text.isascii() and text.isdigit() else 0
