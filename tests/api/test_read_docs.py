"""read_docs: pages, sections and places, for assistants."""

from __future__ import annotations

from typing import Any

import pytest

from bakedbrie.api.read_docs import MOST_CHARACTERS
from bakedbrie.lib.documents import library
from tests.support.cast import api
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db


def call(caller: Caller, **arguments: str) -> Any:
    return api(caller).post("/api/v1/tools/read_docs", arguments, format="json").json()


def told(caller: Caller, **arguments: str) -> Any:
    return call(caller, **arguments)["untrusted_data"]


@pytest.mark.requirement("W077")
def test_without_arguments_it_lists_every_page(alice: Caller) -> None:
    pages = told(alice)["pages"]

    assert [page["page"] for page in pages] == list(library().documents)
    assert set(pages[0]) == {"page", "title", "about"}


@pytest.mark.requirement("W077")
def test_a_page_is_read_whole_with_the_names_of_its_sections(alice: Caller) -> None:
    page = told(alice, page="assistants")

    assert page["is_whole"] is True
    assert page["text"] == library().documents["assistants"].text
    assert [one["section"] for one in page["sections"]] == [
        one.anchor for one in library().documents["assistants"].sections
    ]


@pytest.mark.requirement("C011")
def test_a_long_page_is_opened_and_read_on_by_its_sections(alice: Caller) -> None:
    page, section = told(alice, page="tools"), told(alice, page="tools", section="move_card")

    assert page["is_whole"] is False
    assert len(page["text"]) < MOST_CHARACTERS
    assert {"section": "move_card", "heading": "move_card"} in page["sections"]
    assert section["text"].startswith("## move_card\n")
    assert "preview_hash" in section["text"]


@pytest.mark.requirement("C011")
def test_every_section_fits_one_answer() -> None:
    longest = max(
        len(document.text_of(section)) for document in library().documents.values() for section in document.sections
    )

    assert longest <= MOST_CHARACTERS


def test_a_query_finds_places(alice: Caller) -> None:
    results = told(alice, query="secret drop conversation")["results"]

    assert len(results) <= 10
    assert set(results[0]) == {"page", "title", "section", "heading", "excerpt"}
    assert "drop" in results[0]["excerpt"]


@pytest.mark.parametrize(
    ("arguments", "field", "says"),
    [
        ({"page": "nowhere"}, "page", "concepts"),
        ({"page": "tools", "section": "nothing"}, "section", "move_card"),
        ({"section": "move_card"}, "page", "needed with section"),
        ({"page": "tools", "query": "move"}, "query", "not both"),
    ],
)
def test_what_is_not_there_is_refused_with_what_there_is(
    alice: Caller, arguments: dict[str, str], field: str, says: str
) -> None:
    error = call(alice, **arguments)["error"]

    assert error["code"] == "INVALID_INPUT"
    assert says in error["fields"][field][0]
