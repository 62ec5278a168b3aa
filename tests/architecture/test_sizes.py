"""Files of at most 400 lines and functions of at most 40, without exceptions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FILE_LINES = 400
FUNCTION_LINES = 40


def sources() -> Iterator[Path]:
    """Every Python file that people write: not the environment, not data, not migrations."""
    left_out = {".venv", "var", "build", "node_modules", "migrations"}
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT).parts
        if not left_out.intersection(parts) and not parts[0].startswith("."):
            yield path


def test_no_file_is_longer_than_400_lines() -> None:
    sizes = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in sources()}

    too_long = {name: size for name, size in sizes.items() if size > FILE_LINES}

    assert too_long == {}
    assert "manage.py" in sizes


def test_no_function_is_longer_than_40_lines() -> None:
    too_long = {
        f"{path.relative_to(ROOT)}:{function.lineno} {function.name}": size
        for path in sources()
        for function in ast.walk(ast.parse(path.read_text()))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        and (size := (function.end_lineno or function.lineno) - function.lineno + 1) > FUNCTION_LINES
    }

    assert too_long == {}
