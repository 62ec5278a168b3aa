"""The documents on the site."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils.html import escape

from bakedbrie.lib.documents import library
from tests.support.cast import browser
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db


@pytest.mark.requirement("W077")
@pytest.mark.parametrize("name", list(library().documents))
def test_every_document_is_a_page_that_opens_for_everybody(name: str) -> None:
    page = Client().get(f"/docs/{name}/")

    assert page.status_code == 200
    for section in library().documents[name].sections:
        assert f'id="{section.anchor}"' in page.content.decode()


def test_links_between_documents_stay_on_the_site() -> None:
    page = Client().get("/docs/assistants/").content.decode()

    assert 'href="/docs/operations/#your-own-model"' in page
    assert ".md" not in page.split("<article")[1].split("</article")[0].replace(".mdx", "")


def test_the_front_lists_every_page() -> None:
    page = Client().get("/docs/").content.decode()

    for document in library().documents.values():
        assert f'href="/docs/{document.name}/"' in page


def test_a_search_marks_what_it_found_and_links_to_the_place() -> None:
    page = Client().get("/docs/", {"q": "preview_hash"}).content.decode()

    assert 'href="/docs/tools/#move_card"' in page
    assert "<mark>preview_hash</mark>" in page


def test_a_search_shows_what_was_typed_as_text() -> None:
    page = Client().get("/docs/", {"q": "<i>zzzqqq\x00"}).content.decode()

    assert "Nothing about “&lt;i&gt;zzzqqq”" in page
    assert "<i>zzz" not in page


def test_a_page_that_is_not_there_is_not_found() -> None:
    assert Client().get("/docs/nowhere/").status_code == 404
    assert Client().post("/docs/").status_code == 405


def test_who_is_signed_in_finds_the_way_back(alice: Caller) -> None:
    signed_in, stranger = browser(alice).get("/docs/concepts/"), Client().get("/docs/concepts/")

    assert escape(alice.workspace.name) in signed_in.content.decode()
    assert escape(alice.workspace.name) not in stranger.content.decode()
    assert 'href="/sign-in/"' in stranger.content.decode()
    assert 'href="/sign-in/"' not in signed_in.content.decode()
