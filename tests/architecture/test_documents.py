"""The documents say what the code does, where a machine can tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from django.urls import URLPattern, URLResolver

from agents.providers.outcomes import OUTCOMES, AiCode
from bakedbrie.api import urls as api_urls
from bakedbrie.api.catalog import TOOLS
from bakedbrie.api.refusals import CATALOG
from bakedbrie.lib.toolkit.inputs import parse
from bakedbrie.management.commands.render_docs import DOCS, pages
from bakedbrie.reference.examples import EXAMPLES, SERVES

ROOT = Path(__file__).resolve().parent.parent.parent
METHODS = ("get", "post", "put", "patch", "delete")


def test_every_setting_from_the_environment_is_documented() -> None:
    read = re.findall(r'env(?:text|int|bool|list|secret)\("([A-Z_]+)"', (ROOT / "bakedbrie/settings.py").read_text())
    told = set(re.findall(r"`([A-Z_]+)`", (ROOT / "docs/operations.md").read_text()))

    assert len(read) > 20
    assert sorted(set(read) - told) == []


def test_every_link_between_documents_leads_somewhere() -> None:
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    links = [(page, target) for page in documents for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text())]

    assert links
    assert [f"{page.name}: {target}" for page, target in links if not (page.parent / target).exists()] == []


def test_every_document_for_users_is_in_the_index() -> None:
    index = (DOCS / "index.md").read_text()

    assert [page.name for page in DOCS.glob("*.md") if page.name != "index.md" and f"({page.name})" not in index] == []


@pytest.mark.parametrize("name", ["refusals.md", "tools.md"])
def test_pages_from_the_catalogues_are_what_render_docs_writes(name: str) -> None:
    """Run `manage.py render_docs` where this fails, and commit what it writes."""
    assert (DOCS / name).read_text() == pages()[name]


@pytest.mark.requirement("W055")
def test_every_code_is_documented() -> None:
    told = re.findall(r"^\| `([A-Z_]+)` \|", (DOCS / "refusals.md").read_text(), re.MULTILINE)

    assert sorted(set(CATALOG) - set(told)) == []
    assert sorted({code.value for code in OUTCOMES if code is not AiCode.DONE} - set(told)) == []


def test_every_tool_has_an_example_that_its_door_takes() -> None:
    assert sorted(EXAMPLES) == sorted(TOOLS)
    assert set(SERVES) <= set(TOOLS)
    for name, arguments in EXAMPLES.items():
        parse(TOOLS[name].input, arguments)


def test_every_address_of_the_api_is_documented_with_its_methods() -> None:
    rows = re.findall(r"^\| ([A-Z]+) \| `(/[^`]*)` \|", (DOCS / "rest.md").read_text(), re.MULTILINE)

    assert sorted(rows) == sorted(set(_addresses(api_urls.urlpatterns)))


def _addresses(patterns: Iterable[object], before: str = "/") -> Iterator[tuple[str, str]]:
    for pattern in patterns:
        assert isinstance(pattern, URLPattern | URLResolver)
        address = before + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(pattern.pattern))
        if isinstance(pattern, URLResolver):
            yield from _addresses(pattern.url_patterns, address)
        else:
            view = pattern.callback.view_class  # type: ignore[attr-defined]  # every route of the API is a class
            yield from ((method.upper(), address) for method in METHODS if hasattr(view, method))
