"""What a file of a work folder holds, as the round made it."""

from __future__ import annotations

from boards.contents import Content
from reviews.models import FolderFile


def content_of(file: FolderFile) -> Content:
    return Content(
        name=file.name,
        media_type=file.media_type,
        bytes=file.bytes,
        sha256=file.sha256,
        result=file.result,
        file=file.file,
    )
