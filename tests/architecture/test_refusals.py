"""Refusals: one code for one thing, each really raised somewhere and each asserted by a test."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from bakedbrie.api.refusals import CATALOG, _checked
from bakedbrie.lib.refusals import NOT_FOUND, Refusal

ROOT = Path(__file__).resolve().parent.parent.parent
PRODUCT = (
    "bakedbrie",
    "workspaces",
    "boards",
    "connecting",
    "agents",
    "destinations",
    "reviews",
    "workflows",
    "workers",
)
CODE = re.compile(r"[A-Z][A-Z0-9_]+")


def test_every_refusal_of_the_source_is_in_the_catalogue_once() -> None:
    defined = [code for path in _sources(PRODUCT) for code in _defined_in(path)]

    assert sorted(defined) == sorted(CATALOG)


def test_codes_and_texts_have_their_form() -> None:
    for code, refusal in CATALOG.items():
        assert CODE.fullmatch(code)
        assert 400 <= refusal.status <= 599
        assert refusal.message.endswith(".")
        assert not refusal.fix or refusal.fix.endswith(".")
        assert "\n" not in refusal.message + refusal.fix


@pytest.mark.requirement("W056")
def test_every_refusal_says_what_to_do_next() -> None:
    assert [code for code, refusal in CATALOG.items() if not refusal.fix] == []


def test_a_code_defined_twice_stops_the_start() -> None:
    with pytest.raises(ValueError, match="NOT_FOUND"):
        _checked(NOT_FOUND, Refusal("NOT_FOUND", 404, "Another one."))


def test_every_refusal_is_used_by_the_product() -> None:
    text = "\n".join(_without_definitions(path.read_text()) for path in _sources(PRODUCT))

    assert sorted(code for code in CATALOG if not re.search(rf"\b{code}\b", text)) == []


def test_every_refusal_is_asserted_by_a_test() -> None:
    text = "\n".join(path.read_text() for path in _sources(("tests",)) if path.name != "test_refusals.py")

    assert sorted(code for code in CATALOG if not re.search(rf"\b{code}\b", text)) == []


def _sources(folders: tuple[str, ...]) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((ROOT / folder).rglob("*.py"))


def _defined_in(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Refusal":
            code = node.args[0] if node.args else None
            if isinstance(code, ast.Constant) and isinstance(code.value, str):
                yield code.value


def _without_definitions(text: str) -> str:
    """Leave out imports, definitions of refusals and the tuples that list them."""
    return "\n".join(ast.unparse(node) for node in ast.parse(text).body if not _only_names(node))


def _only_names(node: ast.stmt) -> bool:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    if not isinstance(node, ast.Assign | ast.AnnAssign):
        return False
    text = ast.unparse(node)
    return "Refusal(" in text or text.startswith("REFUSALS")
