"""What a template makes of a card: a safe path for titles and files of any script, and never two alike."""

from __future__ import annotations

import unicodedata
import uuid
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakedbrie.lib.slugs import card_hash
from destinations.rules import DEFAULT_TEMPLATE, Subject, paths, template_problems

CARD = uuid.UUID("0195f3a0-1b0a-7000-8000-000000000004")
OTHER_CARD = uuid.UUID("0195f3a0-1b0a-7000-8000-000000000005")
DAY = date(2026, 11, 30)
HASH = card_hash(CARD)
TITLES = [
    "Q3 report: C++ & Größe (final).v2",
    "../../.github/workflows/x",
    ".env",
    "🎉🎉🎉",
    "报告",
    "CON",
    "a/b\\c",
    "ä" * 600,
    "   ",
    "x%2Fy",
    "=cmd|' /C calc'!A0",
]


def subject(title: str = "Compare prices", board: str = "Research", card: uuid.UUID = CARD, n: int = 1) -> Subject:
    return Subject(board_name=board, card_title=title, card_id=card, day=DAY, n=n)


def path(title: str, template: str = DEFAULT_TEMPLATE, **more: object) -> str:
    (made,) = paths(template, subject(title, **more), ["x.md"], has_result=True)  # type: ignore[arg-type]
    return made


@pytest.mark.requirement("D008", "D009", "D010", "D011", "D012", "D013")
def test_the_default_template_names_board_day_title_and_card() -> None:
    assert DEFAULT_TEMPLATE == "{board-slug}/{yyyy-mm-dd}-{card-slug}-{card-hash}.md"
    assert path("Compare prices") == f"research/2026-11-30-compare-prices-{HASH}.md"
    assert path("Compare prices", "{card-hash}/{card-slug}/{yyyy-mm-dd}/{board-slug}.txt") == (
        f"{HASH}/compare-prices/2026-11-30/research.txt"
    )


@pytest.mark.requirement("D012")
def test_two_cards_of_one_title_on_one_day_never_share_a_path() -> None:
    assert path("Same") != path("Same", card=OTHER_CARD)


@pytest.mark.requirement("C051")
@pytest.mark.parametrize("title", TITLES)
def test_a_title_of_any_script_stays_within_its_segment(title: str) -> None:
    folder, file = path(title).split("/")

    assert folder == "research"
    assert file.startswith("2026-11-30-")
    assert file.endswith(f"-{HASH}.md")
    assert len(file.encode()) <= 255
    assert not set(file) & set("\\%+ :?*'")


@pytest.mark.requirement("C051")
def test_two_spellings_of_one_title_end_in_two_files() -> None:
    composed, decomposed = unicodedata.normalize("NFC", "Café"), unicodedata.normalize("NFD", "Café")

    assert path(composed) == f"research/2026-11-30-café-{HASH}.md"
    assert path(decomposed, card=OTHER_CARD) == f"research/2026-11-30-café-{card_hash(OTHER_CARD)}.md"


@pytest.mark.requirement("C051")
def test_a_name_that_some_systems_keep_for_themselves_is_marked() -> None:
    assert path("CON", "{board-slug}/{card-slug}.md", board="nul") == "_nul/_con.md"


@pytest.mark.requirement("D014", "C051")
def test_other_files_lie_beside_the_result_and_are_named_after_it() -> None:
    names = [
        "x.md",
        "plan+v2 [1].pdf",
        "répörts.csv",
        "..",
        "a\u202egnp.exe",
        "Plan V2 (1).PDF",
        "x.md",
        "archive.tar.gz",
    ]

    made = paths(DEFAULT_TEMPLATE, subject("Compare"), names, has_result=True)

    stem = f"research/2026-11-30-compare-{HASH}"
    assert made == [
        f"{stem}.md",
        f"{stem}-plan-v2-1.pdf",
        f"{stem}-répörts.csv",
        f"{stem}-file",
        f"{stem}-a-gnp.exe",
        f"{stem}-plan-v2-1-2.pdf",
        f"{stem}-x.md",
        f"{stem}-archive-tar.gz",
    ]


def test_without_a_result_every_file_is_named_after_the_card() -> None:
    assert paths(DEFAULT_TEMPLATE, subject("A"), ["b.png"], has_result=False) == [f"research/2026-11-30-a-{HASH}-b.png"]


def test_a_taken_path_gets_a_number_and_so_does_what_lies_beside_it() -> None:
    assert paths(DEFAULT_TEMPLATE, subject("A", n=2), ["a.md", "b.png"], has_result=True) == [
        f"research/2026-11-30-a-{HASH}-2.md",
        f"research/2026-11-30-a-{HASH}-2-b.png",
    ]


@given(st.text(max_size=200), st.lists(st.text(max_size=120), max_size=5))
def test_no_title_and_no_file_name_makes_a_path_that_leaves_its_folder(title: str, names: list[str]) -> None:
    made = paths(DEFAULT_TEMPLATE, subject(title, board=title), ["r.md", *names], has_result=True)

    assert len({one.casefold() for one in made}) == len(made)
    for one in made:
        segments = one.split("/")
        assert len(segments) == 2
        assert all(0 < len(segment.encode()) <= 255 and not segment.startswith(".") for segment in segments)
        assert not {unicodedata.category(character)[0] for character in one} & {"C", "Z"}


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("{board}/x.md", "does not know the placeholder {board}"),
        ("{card-slug}{.md", "holds a brace that belongs to no placeholder"),
        ("/x-{card-hash}.md", "may not begin or end with a slash, nor hold two in a row"),
        ("a//{card-hash}.md", "may not begin or end with a slash, nor hold two in a row"),
        ("../{card-hash}.md", "may not hold names that begin or end with a dot or a space"),
        (".github/{card-hash}", "may not hold names that begin or end with a dot or a space"),
        ("a\\{card-hash}", 'may not hold any of \\ : * ? " < > |'),
        ("a\u202e{card-hash}", "may not hold characters that cannot be seen"),
        ("{card-slug}-{card-slug}-{card-hash}.md", "would make names that are too long"),
        ("a" * 201, "may have at most 200 characters"),
    ],
)
def test_a_template_that_cannot_be_used_says_why(template: str, problem: str) -> None:
    assert problem in template_problems(template)


@pytest.mark.parametrize("template", [DEFAULT_TEMPLATE, "{card-hash}", "Größe/{board-slug}/a b/{card-hash}.markdown"])
def test_a_good_template_has_no_problems(template: str) -> None:
    assert template_problems(template) == []
