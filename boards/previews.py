"""How a card file can be looked at without downloading it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from bakedbrie.lib.web.inline import AUDIO, IMAGES, PDF, VIDEO
from boards.models import CardFile


class PreviewKind(StrEnum):
    IMAGE = "image"
    AUDIO = "audio"
    VIDEO = "video"
    PDF = "pdf"
    MARKDOWN = "markdown"
    TABLE = "table"
    TEXT = "text"
    NONE = "none"


THUMBNAIL_BYTES = 2_000_000  # a picture larger than this is not loaded just to be small
_BY_TYPE: Mapping[str, PreviewKind] = {
    **dict.fromkeys(IMAGES, PreviewKind.IMAGE),
    **dict.fromkeys(AUDIO, PreviewKind.AUDIO),
    **dict.fromkeys(VIDEO, PreviewKind.VIDEO),
    PDF: PreviewKind.PDF,
    "text/markdown": PreviewKind.MARKDOWN,
    "text/csv": PreviewKind.TABLE,
    "text/tab-separated-values": PreviewKind.TABLE,
    "text/plain": PreviewKind.TEXT,
    "application/json": PreviewKind.TEXT,
}
# Of text in other encodings than UTF-8 only the name says that it may be text.
_BY_ENDING: Mapping[str, PreviewKind] = {
    **dict.fromkeys(("md", "markdown"), PreviewKind.MARKDOWN),
    **dict.fromkeys(("csv", "tsv"), PreviewKind.TABLE),
    **dict.fromkeys(
        ("txt", "text", "log", "json", "xml", "html", "htm", "svg", "css", "js", "ts", "py", "sql", "sh", "yml", "yaml",
         "toml", "ini", "cfg", "tex", "srt", "vtt", "ics", "eml", "java", "c", "h", "cpp", "cs", "php", "rb", "bat"),
        PreviewKind.TEXT,
    ),
}  # fmt: skip


def kind_of(file: CardFile) -> PreviewKind:
    """Return what its type says; for bytes of no known type, what its name promises."""
    if file.media_type == "application/octet-stream":
        return _BY_ENDING.get(file.name.rpartition(".")[2].lower(), PreviewKind.NONE)
    return _BY_TYPE.get(file.media_type, PreviewKind.NONE)


def has_thumbnail(file: CardFile) -> bool:
    return kind_of(file) is PreviewKind.IMAGE and file.bytes <= THUMBNAIL_BYTES
