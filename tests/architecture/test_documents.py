"""The documents say what the code does, where a machine can tell."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def test_every_setting_from_the_environment_is_documented() -> None:
    read = re.findall(r'env(?:text|int|bool|list|secret)\("([A-Z_]+)"', (ROOT / "bakedbrie/settings.py").read_text())
    told = set(re.findall(r"`([A-Z_]+)`", (ROOT / "docs/operations.md").read_text()))

    assert len(read) > 20
    assert sorted(set(read) - told) == []


def test_every_link_between_documents_leads_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    links = [(page, target) for page in pages for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text())]

    assert links
    assert [f"{page.name}: {target}" for page, target in links if not (page.parent / target).exists()] == []
