"""The arrows of docs/architecture.md, and doors that reach objects only through access and services."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DOORS = ("api", "web", "tools")
MANAGERS = {"objects", "_default_manager", "_base_manager"}


def doors() -> Iterator[Path]:
    """The files of every door, and all of workers."""
    for app in ("workspaces", "boards", "connecting", "agents", "destinations", "reviews", "workflows", "bakedbrie"):
        for door in DOORS:
            yield from (ROOT / app / door).rglob("*.py")
            yield from (ROOT / app).glob(f"{door}.py")
    yield from (ROOT / "workers").rglob("*.py")


def test_the_import_contracts_are_kept() -> None:
    code = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports())"

    linter = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)

    assert linter.returncode == 0, linter.stdout


def test_doors_and_workers_never_use_a_manager() -> None:
    uses = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in doors()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in MANAGERS
    ]

    assert uses == []
