"""What differs between two versions of an agent, field by field and line by line."""

from __future__ import annotations

from agents.models import AgentVersion
from agents.web.changes import changes_between


def version(instructions: str = "Read.", **fields: object) -> AgentVersion:
    given = {"name": "Scout", "max_turns": 50, "permissions": {"read_files": "allowed"}, **fields}
    return AgentVersion(instructions=instructions, **given)


def lines_of(before: str, after: str) -> list[tuple[str, str]]:
    return [(line.kind, line.text) for line in changes_between(version(before), version(after)).lines]


def numbered(first: int, last: int) -> str:
    return "\n".join(f"Line {n}." for n in range(first, last + 1))


def test_two_versions_that_say_the_same_differ_in_nothing() -> None:
    changes = changes_between(version(), version(permissions={"read_files": "allowed", "web": "off"}))

    assert (changes.any, changes.fields, changes.lines) == (False, (), ())


def test_each_field_that_differs_is_told_in_words() -> None:
    after = version(name="Reader", max_turns=5, permissions={"read_files": "off", "email": "ask"})

    changes = changes_between(version(), after)

    assert [(one.label, one.before, one.after) for one in changes.fields] == [
        ("Name", "Scout", "Reader"),
        ("Turns in one round", "50", "5"),
        ("Read files", "Allowed", "Off"),
        ("E-mail", "Off", "Ask"),
    ]


def test_a_changed_line_stands_between_two_lines_around_it() -> None:
    after = numbered(1, 9).replace("Line 5.", "Line five.")

    assert lines_of(numbered(1, 9), after) == [
        ("gap", ""),
        ("same", "Line 3."),
        ("same", "Line 4."),
        ("gone", "Line 5."),
        ("new", "Line five."),
        ("same", "Line 6."),
        ("same", "Line 7."),
        ("gap", ""),
    ]


def test_lines_between_two_changes_that_are_far_apart_are_left_out_once() -> None:
    after = "First.\n" + numbered(1, 9) + "\nLast."

    changes = changes_between(version(numbered(1, 9)), version(after))

    kinds = [line.kind for line in changes.lines]
    assert kinds == ["new", "same", "same", "gap", "same", "same", "new"]
    assert (changes.added, changes.removed) == (2, 0)


def test_a_line_break_at_the_end_is_a_change_too() -> None:
    assert lines_of("Read.", "Read.\n") == [("same", "Read."), ("new", "")]


def test_long_instructions_of_few_different_lines_are_compared_in_one_go() -> None:
    before, after = ("\n".join(str(n % k) for n in range(9_000)) for k in (2, 3))

    changes = changes_between(version(before), version(after))

    assert changes.any
