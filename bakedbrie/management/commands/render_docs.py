"""render_docs: write the pages of docs/ that the catalogues tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from bakedbrie.reference.refusals import render_refusals
from bakedbrie.reference.tools import render_tools

DOCS = Path(__file__).resolve().parents[3] / "docs"


def pages() -> dict[str, str]:
    """Return the text of every page by its file name."""
    return {"refusals.md": render_refusals(), "tools.md": render_tools()}


class Command(BaseCommand):
    help = "Writes docs/refusals.md and docs/tools.md from the catalogues of refusals and tools."

    def handle(self, *args: Any, **options: Any) -> None:
        for name, text in pages().items():
            (DOCS / name).write_text(text)
            self.stdout.write(f"docs/{name}")
