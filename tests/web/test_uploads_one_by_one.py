"""Files that the page sends one by one: what became of each is told beside its name."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from boards.models import Card, CardFile
from boards.services import files as file_services
from tests.factories.boards import make_board, make_card, make_file
from tests.support.cast import browser
from tests.web.pages import HTMX, code_of, text_of, url
from workspaces.caller import Caller

LINE = {**HTMX, "HX-Target": "upload-lines"}


@pytest.fixture
def card(alice: Caller) -> Card:
    return make_card(alice, make_board(alice))


def send(client: Client, card: Card, content: bytes = b"Hello", *, name: str = "a.md", request_id: str = "r-1") -> Any:
    upload = SimpleUploadedFile(name, content)
    return client.post(url("add-files", card.pk), {"request_id": request_id, "file": upload}, headers=LINE)


@pytest.mark.requirement("W059")
def test_a_file_that_is_sent_again_after_a_lost_answer_is_there_once(alice: Caller, card: Card) -> None:
    client = browser(alice)

    answers = [send(client, card) for _ in range(2)]

    assert [(answer.status_code, 'data-kept="a.md"' in text_of(answer)) for answer in answers] == [(200, True)] * 2
    assert [file.name for file in CardFile.objects.all()] == ["a.md"]


def test_a_name_that_is_taken_is_changed_and_the_page_says_so(alice: Caller, card: Card) -> None:
    make_file(alice, card, name="a.md")

    line = send(browser(alice), card)
    page = browser(alice).post(url("add-files", card.pk), {"file": SimpleUploadedFile("A.md", b"x")}, headers=HTMX)

    assert "Kept as “a (2).md”: the card holds one of that name." in text_of(line)
    assert "“A.md” is kept as “A (3).md”" in page["HX-Trigger"].encode().decode("unicode_escape")


@pytest.mark.parametrize(("content", "code"), [(b"", "FILE_EMPTY"), (bytes(70_000), "FILE_TOO_LARGE")])
def test_what_is_refused_says_why_in_its_line(
    alice: Caller, card: Card, settings: Settings, content: bytes, code: str
) -> None:
    settings.FILES_MAX_BYTES = 1_000

    refused = send(browser(alice), card, content)

    assert (refused.status_code >= 400, code_of(refused)) == (True, code)
    assert "<html" not in text_of(refused)
    assert CardFile.objects.count() == 0


def test_a_card_that_is_full_offers_no_upload_and_says_what_to_do(
    alice: Caller, card: Card, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_services, "MOST_FILES", 1)
    monkeypatch.setattr("workflows.web.card_sections.MOST_FILES", 1)
    make_file(alice, card)

    page = text_of(browser(alice).get(url("card", card.pk)))
    refused = send(browser(alice), card)

    assert "This card holds 1 files, as many as a card may." in page
    assert 'id="upload"' not in page
    assert (refused.status_code, code_of(refused)) == (409, "TOO_MANY_FILES")


def test_the_limits_stand_beside_the_button(alice: Caller, card: Card, settings: Settings) -> None:
    settings.FILES_MAX_BYTES = 5_000_000

    page = text_of(browser(alice).get(url("card", card.pk)))

    assert "Up to 5 MB each, 100 on a card." in page
    assert 'data-most-bytes="5000000"' in page
    assert "No files yet." in page
