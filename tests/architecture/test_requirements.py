"""Every line of the requirements is proved by a test or deferred with a reason, and never both."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.requirements import DEFERRED, DEFERRED_AREAS, DEFERRED_CASES, REQUIREMENTS

TESTS = Path(__file__).resolve().parent.parent
HARD_CASE = re.compile(r"C[0-9]{3}")


def test_every_id_in_a_marker_is_known() -> None:
    named = {line_id: place for line_id, place in _named_in_markers() if not HARD_CASE.fullmatch(line_id)}

    assert {line_id: place for line_id, place in named.items() if line_id not in REQUIREMENTS} == {}


def test_every_line_is_proved_or_deferred() -> None:
    proved = {line_id for line_id, _ in _named_in_markers()}

    assert sorted(set(REQUIREMENTS) - proved - set(DEFERRED)) == []


def test_nothing_is_deferred_that_a_test_proves() -> None:
    proved = {line_id for line_id, _ in _named_in_markers()}

    assert sorted(set(DEFERRED) & proved) == []


def test_only_known_lines_are_deferred_and_each_says_why() -> None:
    areas = {line_id[0] for line_id in REQUIREMENTS}

    assert set(DEFERRED) <= set(REQUIREMENTS)
    assert all(reason.strip() for reason in [*DEFERRED.values(), *DEFERRED_AREAS.values()])
    assert areas.isdisjoint(DEFERRED_AREAS)


def test_hard_cases_are_known_by_their_numbers_and_each_says_what_is_for_later() -> None:
    assert [case for case in DEFERRED_CASES if not HARD_CASE.fullmatch(case)] == []
    assert all(": " in reason for reason in DEFERRED_CASES.values())


def _named_in_markers() -> Iterator[tuple[str, str]]:
    """Read the markers from the source, so that one test alone can be run without the rest being collected."""
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.requirement"):
                for argument in node.args:
                    assert isinstance(argument, ast.Constant), f"{path}:{node.lineno}: ids are written out"
                    assert isinstance(argument.value, str), f"{path}:{node.lineno}: ids are text"
                    yield argument.value, f"{path.relative_to(TESTS)}:{node.lineno}"
