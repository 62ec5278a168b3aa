"""The documents for users: docs/*.md as pages and sections, and a search over them.

docs/index.md is the table of contents: what it links is what there is, in its order. Read once for each process.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise, takewhile
from pathlib import Path

from markdown_it import MarkdownIt

FOLDER = Path(__file__).resolve().parents[2] / "docs"
INDEX = "index"

_ENTRY = re.compile(r"^\| \[(?P<title>[^]]+)\]\((?P<name>[a-z-]+)\.md\) \| (?P<about>.+) \|$", re.MULTILINE)
_HIT = ("\x02", "\x03")  # around each word that was found; no document holds them
_LEAST_WORD = 2
_SMALLEST_HEADING = 3


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of the second or third level with the Markdown below it, down to the next heading."""

    anchor: str
    title: str
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """One page. ``text`` is the whole of its Markdown, ``opening`` what stands before its first section."""

    name: str
    title: str
    about: str
    text: str
    opening: str
    sections: tuple[Section, ...]

    def section(self, anchor: str) -> Section | None:
        return next((section for section in self.sections if section.anchor == anchor), None)

    def text_of(self, section: Section) -> str:
        """Return the section with the smaller ones within it."""
        start = self.sections.index(section)
        within = takewhile(lambda other: other.level > section.level, self.sections[start + 1 :])
        return section.text + "".join(other.text for other in within)


@dataclass(frozen=True, slots=True)
class Hit:
    """A place where the words stand. ``excerpt`` alternates between text and words that were found, text first."""

    document: Document
    section: Section | None
    excerpt: tuple[str, ...]

    @property
    def plain(self) -> str:
        return "".join(self.excerpt)


class Library:
    """Every document of a folder."""

    def __init__(self, folder: Path = FOLDER) -> None:
        index = (folder / f"{INDEX}.md").read_text()
        self.documents: Mapping[str, Document] = {
            entry["name"]: _read(folder, entry["name"], entry["title"], entry["about"])
            for entry in _ENTRY.finditer(index)
        }
        self._turn = threading.Lock()

    def search(self, query: str, limit: int = 20) -> list[Hit]:
        """Return the best places first. Words match their other forms and what begins with them; all must be there.

        Where no place has all of them, places with any of them are returned.
        """
        words = [word for word in re.findall(r"\w+", query.lower()) if len(word) >= _LEAST_WORD]
        quoted = [f'"{word}"*' for word in words]
        if not quoted:
            return []
        with self._turn:
            rows = self._find(" AND ".join(quoted), limit) or self._find(" OR ".join(quoted), limit)
        return [self._hit(*row) for row in rows]

    def _find(self, match: str, limit: int) -> list[tuple[str, str, str]]:
        return self._words.execute(
            "SELECT name, anchor, snippet(words, 4, ?, ?, '…', 24) FROM words WHERE words MATCH ?"
            " ORDER BY bm25(words, 0, 0, 8, 6, 1), rowid LIMIT ?",
            (*_HIT, match, limit),
        ).fetchall()

    def _hit(self, name: str, anchor: str, snippet: str) -> Hit:
        document = self.documents[name]
        parts = re.split("[\x02\x03]", " ".join(snippet.split()))
        return Hit(document, document.section(anchor), tuple(parts))

    @cached_property
    def _words(self) -> sqlite3.Connection:
        """SQLite's own full-text index, in memory: ranking, word stems and excerpts."""
        words = sqlite3.connect(":memory:", check_same_thread=False)
        words.execute(
            "CREATE VIRTUAL TABLE words USING"
            " fts5(name UNINDEXED, anchor UNINDEXED, title, heading, body, tokenize='porter unicode61')"
        )
        words.executemany("INSERT INTO words VALUES (?, ?, ?, ?, ?)", self._rows())
        return words

    def _rows(self) -> Iterator[tuple[str, str, str, str, str]]:
        for document in self.documents.values():
            yield document.name, "", document.title, document.about, _plain(document.opening)
            for section in document.sections:
                yield document.name, section.anchor, "", section.title, _plain(section.text)


@cache
def library() -> Library:
    return Library()


def anchor_of(title: str, taken: set[str]) -> str:
    """Return the heading's anchor, as code hosts make it: words with hyphens between, a number after a double."""
    anchor = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
    unique = next(name for n in range(len(taken) + 1) if (name := f"{anchor}-{n}" if n else anchor) not in taken)
    taken.add(unique)
    return unique


def _read(folder: Path, name: str, title: str, about: str) -> Document:
    text = (folder / f"{name}.md").read_text()
    lines = text.splitlines(keepends=True)
    taken: set[str] = set()
    headings = [(line, level, title, anchor_of(title, taken)) for line, level, title in _headings(text)]
    starts = [heading for heading in headings if heading[1] > 1]
    ends = [*(line for line, *_ in starts[1:]), len(lines)]
    sections = tuple(
        Section(anchor, title, level, "".join(lines[line:end]))
        for (line, level, title, anchor), end in zip(starts, ends, strict=False)
    )
    opening = "".join(lines[: starts[0][0] if starts else len(lines)])
    return Document(name, title, about, text, opening, sections)


def _headings(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield line, level and text of each heading down to the third level; what looks like one within code is none."""
    for token, inline in pairwise(MarkdownIt("commonmark").parse(text)):
        if token.type == "heading_open" and token.map and int(token.tag[1]) <= _SMALLEST_HEADING:
            yield token.map[0], int(token.tag[1]), inline.content.replace("`", "")


def _plain(markdown: str) -> str:
    """Return the words to search in and to show: without marks, rules of tables and the addresses of links."""
    text = re.sub(r"\]\([^)]*\)", "]", markdown)
    text = re.sub(r"^\|[-|: ]+\|$|^#.*$|^```.*$", "", text, flags=re.MULTILINE)
    return re.sub(r"[*`|\[\]]+", " ", text)
