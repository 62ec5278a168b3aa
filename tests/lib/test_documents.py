"""The documents as pages and sections, and the search over them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakedbrie.lib.documents import Library, anchor_of, library

INDEX = (
    "# Using it\n\n| page | for |\n|---|---|\n| [Cheese](cheese.md) | what is baked |\n| [Ovens](ovens.md) | heat |\n"
)
CHEESE = """# Cheese

Brie is soft.

## Baking

Bake the cheese once.

```
## no heading
```

### How long

Twenty minutes.

## `oven_setting` and more

Two hundred degrees. [Read on](ovens.md).
"""
OVENS = "# Ovens\n\nAn oven gets hot. Nobody bakes in a cold oven.\n"


@pytest.fixture
def shelf(tmp_path: Path) -> Library:
    for name, text in {"index": INDEX, "cheese": CHEESE, "ovens": OVENS, "unlisted": "# Unlisted\n"}.items():
        (tmp_path / f"{name}.md").write_text(text)
    return Library(tmp_path)


def test_the_index_says_what_there_is_and_in_which_order(shelf: Library) -> None:
    found = [(document.name, document.title, document.about) for document in shelf.documents.values()]

    assert found == [("cheese", "Cheese", "what is baked"), ("ovens", "Ovens", "heat")]


def test_a_document_is_cut_at_its_headings_and_not_within_code(shelf: Library) -> None:
    cheese = shelf.documents["cheese"]

    assert cheese.opening == "# Cheese\n\nBrie is soft.\n\n"
    assert [(one.anchor, one.title, one.level) for one in cheese.sections] == [
        ("baking", "Baking", 2),
        ("how-long", "How long", 3),
        ("oven_setting-and-more", "oven_setting and more", 2),
    ]
    assert cheese.opening + "".join(one.text for one in cheese.sections) == CHEESE


def test_a_section_is_read_with_the_smaller_ones_within_it(shelf: Library) -> None:
    cheese = shelf.documents["cheese"]
    baking = cheese.section("baking")

    assert baking is not None
    assert cheese.text_of(baking).startswith("## Baking\n")
    assert cheese.text_of(baking).endswith("Twenty minutes.\n\n")


def test_a_search_finds_other_forms_of_a_word_and_says_where(shelf: Library) -> None:
    [hit] = shelf.search("minute")

    assert (hit.document.name, hit.section and hit.section.anchor) == ("cheese", "how-long")
    assert hit.excerpt == ("Twenty ", "minutes", ".")
    assert hit.plain == "Twenty minutes."


def test_places_with_all_words_come_alone_and_else_those_with_any(shelf: Library) -> None:
    assert [hit.document.name for hit in shelf.search("cold oven")] == ["ovens"]
    assert {hit.document.name for hit in shelf.search("soft ovens")} == {"cheese", "ovens"}


@pytest.mark.parametrize("query", ["", "  ", "a", '"', "AND", "NEAR(", "x* OR", "-bake", "päivää", "\x00", "' ; --"])
def test_no_query_breaks_the_search(shelf: Library, query: str) -> None:
    assert isinstance(shelf.search(query), list)


def test_a_limit_holds(shelf: Library) -> None:
    assert len(shelf.search("oven", limit=1)) == 1


def test_anchors_are_those_of_code_hosts_and_never_twice_the_same() -> None:
    taken: set[str] = set()

    assert anchor_of("Who may do what?", taken) == "who-may-do-what"
    assert anchor_of("Who may do what?", taken) == "who-may-do-what-1"
    assert anchor_of("A–Z, `move_card`", taken) == "az-move_card"


def test_our_own_documents_find_a_tool_and_a_code() -> None:
    by_tool, by_code = library().search("move_card"), library().search("PREVIEW_CHANGED")

    assert ("tools", "move_card") in {(hit.document.name, hit.section and hit.section.anchor) for hit in by_tool}
    assert "refusals" in {hit.document.name for hit in by_code}
