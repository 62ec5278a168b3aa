"""Uploads on pages: taken only where a view asks for them, and only as much as it allows."""

from __future__ import annotations

from typing import Any

from django.core.files.uploadhandler import FileUploadHandler, SkipFile, TemporaryFileUploadHandler
from django.http import HttpRequest

_ENVELOPE_BYTES = 65_536  # what a form may hold beside its files


class NoFiles(FileUploadHandler):
    """Django's default handler here: a form that takes no files keeps none, however many are sent."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        raise SkipFile

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        return None

    def file_complete(self, file_size: int) -> None:
        return None


def take_files(request: HttpRequest, *, max_bytes: int) -> bool:
    """Let the files of this form go to disk while they arrive; False when it is announced as too large.

    The body must not have been touched yet: the view checks the form's token after this.
    """
    announced = request.META.get("CONTENT_LENGTH") or "0"
    if not announced.isdecimal() or int(announced) > max_bytes + _ENVELOPE_BYTES:
        return False
    request.upload_handlers = [TemporaryFileUploadHandler(request)]
    return True
