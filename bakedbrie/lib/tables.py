"""Comma-separated text as rows to look at: whatever separates it, ragged, and never more than a page can show."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

ROWS, COLUMNS, CHARACTERS = 200, 40, 400
_SEPARATORS = (",", ";", "\t", "|")
_LOOKED_AT = 20


@dataclass(frozen=True, kw_only=True)
class Table:
    """All rows are as long as the header. ``is_cut`` where there are more rows or columns, or a longer cell."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    is_cut: bool = False


def read_table(text: str, *, is_cut: bool = False) -> Table | None:
    """Return the beginning of a table, its first line as the header; None where the text cannot be read as one.

    What separates the cells is what gives the most lines the same number of cells; a first line such as ``sep=;`` says
    it. With ``is_cut`` the last line may have lost its end, and is left out.
    """
    separator, text = _told(text)
    try:
        found = list(islice(_rows(text, separator or _likeliest(text)), ROWS + 2))
    except csv.Error:
        return None
    if is_cut and len(found) > 1:
        found = found[:-1]
    if not found:
        return None
    width = min(max(map(len, found)), COLUMNS)
    is_cut = is_cut or len(found) > ROWS + 1 or any(_is_longer(row) for row in found)
    header, *rows = [_fitted(row, width) for row in found[: ROWS + 1]]
    return Table(header=header, rows=tuple(rows), is_cut=is_cut)


def _told(text: str) -> tuple[str, str]:
    first, _, rest = text.partition("\n")
    is_told = len(first) == len("sep=,") and first.lower().startswith("sep=")
    return (first[-1], rest) if is_told else ("", text)


def _likeliest(text: str) -> str:
    return max(_SEPARATORS, key=lambda separator: _evenness(text, separator))


def _evenness(text: str, separator: str) -> tuple[int, int]:
    """Return how many of the first lines have equally many cells, more than one; and how many cells those have."""
    try:
        widths = Counter(len(row) for row in islice(_rows(text, separator), _LOOKED_AT))
    except csv.Error:
        return 0, 0
    widths.pop(1, None)
    return max(((count, width) for width, count in widths.items()), default=(0, 0))


def _rows(text: str, separator: str) -> Iterator[list[str]]:
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    return (row for row in lines if any(cell.strip() for cell in row))


def _is_longer(row: list[str]) -> bool:
    return len(row) > COLUMNS or any(len(cell) > CHARACTERS for cell in row)


def _fitted(row: list[str], width: int) -> tuple[str, ...]:
    cells = [cell if len(cell) <= CHARACTERS else f"{cell[:CHARACTERS]}…" for cell in row[:width]]
    return (*cells, *[""] * (width - len(cells)))
