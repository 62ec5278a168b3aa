"""Pages with a script of their own get it joined to the script of all pages, so that each still loads three parts.

`bakedbrie/app-board.js` is app.js and board.js in one file; see `{% block script %}` of base.html.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.checks import CheckMessage
from django.core.files.storage import FileSystemStorage, Storage

PAGES = ("board", "card", "door")
_SOURCES = Path(__file__).parent / "static" / "bakedbrie"


class PageScripts(BaseFinder):
    """Finds ``bakedbrie/app-<page>.js``, for collectstatic and for a server with DEBUG, which asks finders itself."""

    def check(self, **_: Any) -> list[CheckMessage]:
        return []

    def find(self, path: str, find_all: bool = False, **_: Any) -> Any:
        if path not in _join():
            return []
        found = str(_folder() / path)
        return [found] if find_all else found

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, Storage]]:
        files = FileSystemStorage(location=_folder())
        for joined in _join():
            yield joined, files


def _join() -> list[str]:
    """Write the joined scripts anew and return their names."""
    written = []
    for page in PAGES:
        parts = [_SOURCES / "app.js", _SOURCES / f"{page}.js"]
        if all(part.exists() for part in parts):
            name = f"bakedbrie/app-{page}.js"
            (_folder() / name).parent.mkdir(parents=True, exist_ok=True)
            (_folder() / name).write_bytes(b"\n".join(part.read_bytes() for part in parts))
            written.append(name)
    return written


def _folder() -> Path:
    return Path(settings.DATA) / "scripts"
