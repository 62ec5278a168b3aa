"""Files that people gave us, shown by a browser in place: only kinds that no browser runs, whole or in parts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any

from django.core.files.base import File
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.http import parse_etags

IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"})
PDF = "application/pdf"
# What the bytes were told to be, and what a browser is told.
AUDIO: Mapping[str, str] = {
    "audio/aac": "audio/aac",
    "audio/mp4": "audio/mp4",
    "audio/mpeg": "audio/mpeg",
    "audio/ogg": "audio/ogg",
    "audio/x-flac": "audio/flac",
    "audio/x-wav": "audio/wav",
}
VIDEO: Mapping[str, str] = {
    "video/mp4": "video/mp4",
    "video/quicktime": "video/mp4",  # the same container; by its own name most browsers refuse it
    "video/webm": "video/webm",
    "video/x-m4v": "video/mp4",
    "video/x-matroska": "video/webm",
}
SHOWN: Mapping[str, str] = {**{kind: kind for kind in (*IMAGES, PDF)}, **AUDIO, **VIDEO}

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Content:
    """Bytes that never change under their ``tag``; ``media_type`` is a key of SHOWN."""

    stream: IO[bytes] | File[Any]
    name: str
    media_type: str
    length: int
    tag: str


class _Part:
    """So many bytes of a stream from some place on, and its end."""

    def __init__(self, stream: IO[bytes] | File[Any], start: int, length: int) -> None:
        self._stream, self._left = stream, length
        stream.seek(start)

    def read(self, size: int = -1) -> bytes:
        wanted = self._left if size < 0 else min(size, self._left)
        chunk: bytes = self._stream.read(wanted)
        self._left -= len(chunk)
        return chunk

    def close(self) -> None:
        self._stream.close()


def show(request: HttpRequest, content: Content) -> HttpResponseBase:
    """Return the whole file, the one part of it that was asked for (206), that there is none (416), or that the
    browser has it (304). The stream is closed in the end."""
    etag = f'"{content.tag}"'
    part = _asked_for(request, etag, content.length)
    response: HttpResponseBase
    if _has_it(request, etag):
        content.stream.close()
        response = HttpResponse(status=304)
    elif part is not None and not part:
        content.stream.close()
        response = HttpResponse(status=416)
        response["Content-Range"] = f"bytes */{content.length}"
    else:
        response = _sent(content, part or range(content.length), status=206 if part else 200)
    response["ETag"] = etag
    response["Accept-Ranges"] = "bytes"
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["Cache-Control"] = "private, no-cache"  # kept, and asked about each time: rights may have gone
    return response


def _sent(content: Content, part: range, *, status: int) -> FileResponse:
    response = FileResponse(
        _Part(content.stream, part.start, len(part)),
        filename=content.name,
        content_type=SHOWN[content.media_type],
        status=status,
    )
    response["Content-Length"] = str(len(part))
    if status == 206:
        response["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{content.length}"
    return response


def _has_it(request: HttpRequest, etag: str) -> bool:
    tags = parse_etags(request.headers.get("If-None-Match", ""))
    return "*" in tags or any(tag.removeprefix("W/") == etag for tag in tags)


def _asked_for(request: HttpRequest, etag: str, length: int) -> range | None:
    """Return the part that was asked for, an empty one where the file has none there, or None for all of it.

    Several parts at once, and what is no range, are answered with the whole file, as RFC 9110 lets one.
    """
    asked = _RANGE.fullmatch(request.headers.get("Range", "").replace(" ", ""))
    if asked is None or request.headers.get("If-Range", etag) != etag:
        return None
    first, last = asked.groups()
    if not first:
        return range(max(0, length - int(last)), length) if last else None
    if last and int(last) < int(first):
        return None
    return range(int(first), min(length, int(last) + 1) if last else length)
