"""The beginning of a card file, read to be shown on a page."""

from __future__ import annotations

from dataclasses import dataclass, field

from bakedbrie.lib.plain_text import read_text
from bakedbrie.lib.tables import Table, read_table
from boards.models import CardFile
from boards.previews import PreviewKind, kind_of
from boards.services.files import open_bytes

TEXT_BYTES = 256_000
MARKDOWN_BYTES = 48_000  # what is not meant well takes seconds to render beyond that
_READ = frozenset({PreviewKind.MARKDOWN, PreviewKind.TABLE, PreviewKind.TEXT})


@dataclass(frozen=True, kw_only=True)
class Preview:
    """``text`` and ``table`` are there for the kinds that show them; ``is_cut`` where there is more than that."""

    kind: PreviewKind
    text: str = field(default="", repr=False)
    table: Table | None = field(default=None, repr=False)
    is_cut: bool = False


def preview_of(file: CardFile) -> Preview:
    """Return how a file from `boards.access` looks: of text its beginning, of all others only their kind.

    What promised to be text and is none has no preview, and what promised to be a table may be shown as text.
    """
    kind = kind_of(file)
    if kind not in _READ:
        return Preview(kind=kind)
    with open_bytes(file) as stream:
        data = stream.read(MARKDOWN_BYTES if kind is PreviewKind.MARKDOWN else TEXT_BYTES)
    is_cut = file.bytes > len(data)
    text = read_text(data, is_cut=is_cut)
    if text is None:
        return Preview(kind=PreviewKind.NONE)
    table = read_table(text, is_cut=is_cut) if kind is PreviewKind.TABLE else None
    if kind is PreviewKind.TABLE and table is None:
        kind = PreviewKind.TEXT
    return Preview(kind=kind, text=text, table=table, is_cut=table.is_cut if table else is_cut)
