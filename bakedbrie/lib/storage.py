"""Card files: kept on disk or in the operator's bucket, never whole in memory, under keys that we choose.

A file's name and type are what its sender says, so both are read with suspicion: `safe_name` makes a name that every
system can hold, `sniff` looks at the first bytes. HTML and SVG are told as plain text or bytes, never as a type that
a browser runs; only `INLINE_TYPES` may be shown by our own pages, everything else is a download.
"""

from __future__ import annotations

import hashlib
import tempfile
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Any, Protocol

import filetype
from django.core.files.base import File
from django.core.files.storage import storages

from bakedbrie.lib import ids

HEAD_BYTES = 8192
_CHUNK_BYTES = 65536
_IN_MEMORY_BYTES = 262_144

INLINE_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf", "text/plain"})
_TEXT_TYPES = {
    "csv": "text/csv",
    "json": "application/json",
    "markdown": "text/markdown",
    "md": "text/markdown",
    "tsv": "text/tab-separated-values",
}
_TEXT_CONTROLS = frozenset("\t\n\r\f")

_MOST_NAME_BYTES = 200
_MOST_ENDING_BYTES = 17
_FORBIDDEN = frozenset('/\\<>:"|?*')
_JOINERS = frozenset("\u200c\u200d")  # they shape letters and emoji; the other format characters only disguise
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$"}
    | {f"{device}{digit}" for device in ("com", "lpt") for digit in "0123456789¹²³"}
)


class TooLarge(Exception):
    """The stream holds more than ``max_bytes``; nothing was kept."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__(max_bytes)
        self.max_bytes = max_bytes


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, kw_only=True)
class Stored:
    """What was kept: where, how much, and its first bytes for `sniff`."""

    key: str
    sha256: str
    head: bytes = field(repr=False)
    bytes: int


def store(stream: Readable, *, key_prefix: str, max_bytes: int) -> Stored:
    """Keep the stream under a new key, or raise `TooLarge`. A failure leaves nothing behind.

    It may talk to a bucket: call it before the transaction, and `delete` the key if the transaction fails.
    """
    digest = hashlib.sha256()
    head = b""
    size = 0
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES) as spool:
        while chunk := stream.read(_CHUNK_BYTES):
            size += len(chunk)
            if size > max_bytes:
                raise TooLarge(max_bytes)
            digest.update(chunk)
            head += chunk[: HEAD_BYTES - len(head)]
            spool.write(chunk)
        spool.seek(0)
        key = _save(f"{key_prefix}/{ids.new_id()}", spool)
    return Stored(key=key, bytes=size, sha256=digest.hexdigest(), head=head)


def open_file(key: str) -> File[bytes]:
    """Open a kept file for reading. Raises FileNotFoundError."""
    return storages["default"].open(key, "rb")


def delete(key: str) -> None:
    """Remove a kept file; one that is gone already is fine."""
    storages["default"].delete(key)


def keys(folder: str) -> Iterator[str]:
    """Yield the key of every kept file below a folder; a bucket is asked once per folder."""
    try:
        folders, files = storages["default"].listdir(folder)
    except FileNotFoundError:
        return
    for name in files:
        yield f"{folder}/{name}"
    for name in folders:
        yield from keys(f"{folder}/{name}")


def _save(key: str, spool: IO[bytes]) -> str:
    storage = storages["default"]
    is_saved = False
    try:
        saved = storage.save(key, File(spool, name=key))
        is_saved = True
    finally:
        if not is_saved:
            storage.delete(key)
    return str(saved)


def safe_name(text: str, *, otherwise: str = "file") -> str:
    """Return a file name that every system takes: NFC, one segment, at most 200 bytes, never empty or reserved."""
    marked = "".join("_" if character in _FORBIDDEN else character for character in text)
    visible = "".join(character for character in marked if _may_stay(character))
    name = _trim(" ".join(unicodedata.normalize("NFC", visible).split()))
    name = _shorten(name) or otherwise
    return f"_{name}" if name.split(".")[0].strip().lower() in _RESERVED else name


def _may_stay(character: str) -> bool:
    if character in _JOINERS or character.isspace():
        return True
    return unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Cn", "Co"}


def _trim(name: str) -> str:
    """Take off what hides a file (a first dot) and what some systems drop (final dots and spaces)."""
    return name.strip(" .\u200c\u200d")


def _shorten(name: str) -> str:
    """Cut to 200 bytes between characters, keeping a short ending such as ``.pdf``."""
    if len(name.encode()) <= _MOST_NAME_BYTES:
        return name
    stem, dot, ending = name.rpartition(".")
    if not stem or len((dot + ending).encode()) > _MOST_ENDING_BYTES:
        stem, dot, ending = name, "", ""
    room = _MOST_NAME_BYTES - len((dot + ending).encode())
    return _trim(_trim(stem.encode()[:room].decode(errors="ignore")) + dot + ending)


def sniff(head: bytes, name: str) -> str:
    """Return the media type that the first bytes show; the name only tells kinds of text apart."""
    if _is_text(head) and not head.startswith(b"%PDF-"):
        return _TEXT_TYPES.get(name.rpartition(".")[2].lower(), "text/plain")
    kind: Any = filetype.guess(head)
    return str(kind.mime) if kind is not None else "application/octet-stream"


def _is_text(head: bytes) -> bool:
    """Tell whether this is UTF-8 without control characters; a character cut off at the end of the head is fine."""
    try:
        text = head.decode()
    except UnicodeDecodeError as error:
        if len(head) < HEAD_BYTES or error.end < len(head) or error.reason != "unexpected end of data":
            return False
        text = head[: error.start].decode()
    return all(character in _TEXT_CONTROLS or ord(character) >= 0x20 for character in text)
