"""What a round made, as it would leave: its newest result and the files made in it, each with its hash."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import IO, Protocol, cast

from bakedbrie.lib import storage
from bakedbrie.lib.slugs import slug
from boards.models import Card, CardFile, Iteration, Result
from boards.services.files import free_name, open_bytes
from boards.states import FileOrigin

RESULT_TYPE = "text/markdown"


class ContentGone(Exception):
    """The bytes are not there any more: the file was taken off its card."""


@dataclass(frozen=True, kw_only=True)
class Content:
    """One thing under the name it goes by; ``sha256`` is of its bytes. It is a result, or else a file of the card."""

    name: str
    media_type: str
    bytes: int
    sha256: str
    result: Result | None = None
    file: CardFile | None = None


class Held(Protocol):
    """A row that keeps what a content was: of a delivery, a work folder or a review."""

    @property
    def name(self) -> str: ...
    @property
    def media_type(self) -> str: ...
    @property
    def bytes(self) -> int: ...
    @property
    def sha256(self) -> str: ...
    @property
    def result(self) -> Result | None: ...
    @property
    def file(self) -> CardFile | None: ...


def content_of(row: Held) -> Content:
    """Return the content that a row keeps."""
    return Content(
        name=row.name,
        media_type=row.media_type,
        bytes=row.bytes,
        sha256=row.sha256,
        result=row.result,
        file=row.file,
    )


def round_contents(card: Card, iteration: Iteration) -> list[Content]:
    """Return the newest result of a round, named after its card, then the live files made in it; two queries.

    No two names are alike, also where a disk does not tell cases apart.
    """
    result = Result.objects.filter(card=card, iteration=iteration).order_by("-pk").first()
    files = CardFile.objects.select_related("added_by").filter(
        card=card, origin=FileOrigin.MADE, removed_at__isnull=True, created_at__gte=iteration.created_at
    )
    taken: set[str] = set()
    contents = [_of_result(card, result, taken)] if result is not None else []
    return contents + [_of_file(file, taken) for file in files.order_by("pk")]


def open_content(content: Content) -> IO[bytes]:
    """Open the bytes for reading, or raise `ContentGone`; the caller closes them. A file is never read whole."""
    if content.result is not None:
        return io.BytesIO(content.result.markdown.encode())
    if content.file is None or content.file.removed_at is not None:
        raise ContentGone(content.name)
    try:
        return cast("IO[bytes]", storage.open_file(content.file.storage_key))
    except FileNotFoundError:
        raise ContentGone(content.name) from None


def open_for_reader(content: Content) -> IO[bytes]:
    """Do as `open_content` for somebody who asks for it; what is gone is absent to them."""
    if content.file is not None:
        return open_bytes(content.file)
    return open_content(content)


def result_content(card: Card, result: Result) -> Content:
    """Return a result by itself, named after its card."""
    return _of_result(card, result, set())


def file_content(file: CardFile) -> Content:
    """Return a file of a card by itself."""
    return _of_file(file, set())


def _of_result(card: Card, result: Result, taken: set[str]) -> Content:
    return Content(
        name=_take(f"{slug(card.title)}.md", taken),
        media_type=RESULT_TYPE,
        bytes=len(result.markdown.encode()),
        sha256=result.sha256,
        result=result,
    )


def _of_file(file: CardFile, taken: set[str]) -> Content:
    return Content(
        name=_take(file.name, taken), media_type=file.media_type, bytes=file.bytes, sha256=file.sha256, file=file
    )


def _take(name: str, taken: set[str]) -> str:
    free = free_name(name, taken)
    taken.add(free.casefold())
    return free
