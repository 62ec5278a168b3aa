"""Files that are written apart and served as one, so that each page loads three parts.

`bakedbrie/app-board.js` is app.js and board.js in one file; see `{% block script %}` of base.html. `bakedbrie/site.css`
is the palette, which the admin has as well, and the sheet of the pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder
from django.core.checks import CheckMessage
from django.core.files.storage import FileSystemStorage, Storage

PAGES = ("board", "card", "door", "review")
SHEET = ("tokens.css", "app.css")
_SOURCES = Path(__file__).parent / "static" / "bakedbrie"


class PageScripts(BaseFinder):
    """Finds ``bakedbrie/app-<page>.js`` and ``bakedbrie/site.css``.

    It is asked by collectstatic, and by a server with DEBUG.
    """

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
    """Write the joined files, as far as they changed, and return their names."""
    written = []
    joined = {"site.css": SHEET} | {f"app-{page}.js": ("app.js", f"{page}.js") for page in PAGES}
    for file, names in joined.items():
        parts = [_SOURCES / part for part in names]
        if all(part.exists() for part in parts):
            name = f"bakedbrie/{file}"
            _write(_folder() / name, b"\n".join(part.read_bytes() for part in parts))
            written.append(name)
    return written


def _write(path: Path, content: bytes) -> None:
    """Leave alone what is right already: a server with DEBUG may be sending it."""
    if path.exists() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _folder() -> Path:
    return Path(settings.DATA) / "scripts"
