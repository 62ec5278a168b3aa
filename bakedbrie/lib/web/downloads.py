"""Files that people gave us, handed out so that no browser ever runs them on our address."""

from __future__ import annotations

from typing import IO, Any

from django.core.files.base import File
from django.http import FileResponse

from bakedbrie.lib.storage import INLINE_TYPES


def download(stream: IO[bytes] | File[Any], *, name: str, media_type: str, length: int) -> FileResponse:
    """Return the answer that streams a file and closes it: always an attachment, named as RFC 6266 says."""
    response = FileResponse(stream, as_attachment=True, filename=name, content_type=_safe_type(media_type))
    response["Content-Length"] = str(length)
    response["X-Content-Type-Options"] = "nosniff"
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["Cache-Control"] = "private, no-store"
    return response


def _safe_type(media_type: str) -> str:
    if media_type not in INLINE_TYPES:
        return "application/octet-stream"
    return f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type
