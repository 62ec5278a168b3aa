"""How the tests of pages are written."""

from __future__ import annotations

import re
from pathlib import Path

FILES = sorted((Path(__file__).resolve().parent.parent / "browser").glob("test_*.py"))
AT_ONCE = re.compile(
    r"^\s*assert\b.*\.(all_inner_texts|all_text_contents|inner_text|text_content|is_visible|is_hidden|is_checked|url)\b",
    re.MULTILINE,
)


def test_what_a_page_shows_is_waited_for() -> None:
    """A page that is still on its way shows nothing yet: `expect` waits for it, a plain assert looks once."""
    found = {file.name: [line.group().strip() for line in AT_ONCE.finditer(file.read_text())] for file in FILES}

    assert FILES
    assert {name: lines for name, lines in found.items() if lines} == {}
