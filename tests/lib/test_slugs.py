"""What stays of a title in a path, whatever its script, and what tells equal titles apart."""

from __future__ import annotations

import re
import unicodedata
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakedbrie.lib.slugs import card_hash, slug


@pytest.mark.requirement("C051")
@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Q3 report: C++ & Größe (final).v2", "q3-report-c-größe-final-v2"),
        ("../../.github/workflows/x", "github-workflows-x"),
        (".env", "env"),
        ("🎉🎉🎉", "untitled"),
        ("报告", "报告"),
        ("CON", "con"),
        ("a/b\\c", "a-b-c"),
        ("   ", "untitled"),
        ("x%2Fy", "x-2fy"),
        ("=cmd|' /C calc'!A0", "cmd-c-calc-a0"),
        ("a\u202egnp.exe", "a-gnp-exe"),
        ("हिन्दी", "हिन्दी"),
        ("\u0301\u0301", "untitled"),
    ],
)
def test_a_title_of_any_script_gives_one_safe_word(title: str, expected: str) -> None:
    assert slug(title) == expected


@pytest.mark.requirement("C051")
def test_two_spellings_of_the_same_letters_give_one_slug() -> None:
    composed = unicodedata.normalize("NFC", "Café")
    decomposed = unicodedata.normalize("NFD", "Café")

    assert composed != decomposed
    assert slug(composed) == slug(decomposed) == "café"


@pytest.mark.requirement("C051")
def test_a_long_title_is_cut_between_characters() -> None:
    assert slug("ä" * 600) == "ä" * 48
    assert slug("报" * 600) == "报" * 32


def test_letters_under_a_heap_of_marks_keep_two_of_them() -> None:
    assert slug("z" + "\u0335" * 40 + "o") == "z\u0335\u0335o"


@given(st.text(max_size=300))
def test_no_text_makes_a_slug_that_leaves_its_segment(text: str) -> None:
    made = slug(text)

    assert 0 < len(made.encode()) <= 96
    assert not set(made) & set("/\\.%+ :?*\x00")
    assert all(unicodedata.category(character)[0] in "LNM" or character == "-" for character in made)
    assert not made.startswith("-")
    assert not made.endswith("-")


def test_the_hash_of_a_card_is_six_characters_and_follows_from_its_id() -> None:
    first, second = uuid.UUID(int=1), uuid.UUID(int=2)

    assert re.fullmatch(r"[a-z0-9]{6}", card_hash(first))
    assert card_hash(first) == card_hash(uuid.UUID(int=1))
    assert card_hash(first) != card_hash(second)


def test_many_cards_made_in_one_moment_have_hashes_of_their_own() -> None:
    ids = [uuid.UUID(int=(0x0198 << 112) | number) for number in range(5000)]

    assert len({card_hash(one) for one in ids}) == 5000
