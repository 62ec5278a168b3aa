"""The card page: what it shows, comments and files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from boards.models import Board, Card, CardFile, Comment
from boards.services.boards import set_archived
from boards.services.comments import add_comment
from boards.services.rounds import keep_result, start_round
from tests.factories.boards import make_board, make_card, make_file
from tests.support.cast import browser
from tests.web.pages import HTMX, code_of, form_of, has_form, text_of, url
from workspaces.caller import Caller

HOSTILE = '<script>alert("1")</script>'
ESCAPED = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;"


@pytest.fixture
def board(alice: Caller, mia: Caller, vic: Caller) -> Board:
    return make_board(alice, members=[mia.member, vic.member])


@pytest.fixture
def card(alice: Caller, board: Board) -> Card:
    return make_card(alice, board, title="Sum up the feedback", brief="## Do\n\nName **three**.")


@pytest.mark.requirement("B024", "B027", "B035")
def test_brief_comments_files_result_and_history_are_on_the_card(alice: Caller, card: Card) -> None:
    add_comment(alice, card=card, text="Leave *prices* out.")
    make_file(alice, card, name="feedback.csv", content=b"a,b\n")
    keep_result(card=card, iteration=start_round(alice, card=card), made_by=alice.actor, markdown="# Three\n\n1. Late")

    answer = browser(alice).get(url("card", card.pk))

    page = text_of(answer)
    assert "<h3>Do</h3>" in page
    assert "<strong>three</strong>" in page
    assert "<em>prices</em>" in page
    assert "feedback.csv" in page
    assert "<h3>Three</h3>" in page
    assert [line["text"] for line in answer.context["story"]] == [
        "Alice Archer left a result in round 1",
        "Alice Archer started round 1",
        "Alice Archer added the file “feedback.csv”",
        "Alice Archer commented",
        "Alice Archer added the card",
    ]


@pytest.mark.requirement("W063")
def test_text_that_people_and_agents_wrote_cannot_act_on_the_card_page(alice: Caller, board: Board) -> None:
    links = "[x](javascript:alert(1)) [y](data:text/html,hi) ![z](https://evil.example/pixel.png)"
    card = make_card(alice, board, title=HOSTILE, brief=f"{HOSTILE} {links}")
    add_comment(alice, card=card, text=f"{HOSTILE} {links}")
    make_file(alice, card, name="a<img src=x onerror=alert(1)>.csv", content=b"a,b\n")
    keep_result(card=card, iteration=start_round(alice, card=card), made_by=alice.actor, markdown=f"{HOSTILE} {links}")

    page = text_of(browser(alice).get(url("card", card.pk)))

    assert "<script>alert" not in page
    assert "<img" not in page
    assert 'href="javascript' not in page
    assert 'href="data:' not in page
    assert page.count(ESCAPED) == 5  # title of window and page, title and brief in the form, the result as Markdown
    assert page.count('&lt;script&gt;alert("1")&lt;/script&gt;') == 3  # brief, comment and result


def test_a_member_comments(mia: Caller, card: Card) -> None:
    client = browser(mia)
    form = form_of(client.get(url("card", card.pk)), url("add-comment", card.pk))

    answer = client.post(url("add-comment", card.pk), {**form, "text": "First.\r\nSecond."}, headers=HTMX)

    comment = Comment.objects.get()
    assert answer.status_code == 200
    assert (comment.text, comment.author) == ("First.\nSecond.", mia.actor)
    assert form_of(answer, url("add-comment", card.pk))["request_id"] != form["request_id"]


@pytest.mark.requirement("C089", "W059")
def test_a_comment_that_is_sent_twice_is_there_once(mia: Caller, card: Card) -> None:
    client = browser(mia)
    form = form_of(client.get(url("card", card.pk)), url("add-comment", card.pk))

    answers = [client.post(url("add-comment", card.pk), {**form, "text": "Once."}) for _ in range(2)]

    assert [(answer.status_code, answer["Location"]) for answer in answers] == [(302, url("card", card.pk))] * 2
    assert Comment.objects.count() == 1


@pytest.mark.requirement("W060")
def test_another_comment_under_a_used_request_id_is_refused_and_kept_to_be_sent_again(mia: Caller, card: Card) -> None:
    client = browser(mia)
    form = form_of(client.get(url("card", card.pk)), url("add-comment", card.pk))
    client.post(url("add-comment", card.pk), {**form, "text": "First."})

    refused = client.post(url("add-comment", card.pk), {**form, "text": "Second."})

    assert (refused.status_code, code_of(refused)) == (409, "REQUEST_ID_REUSED")
    assert "Second." in text_of(refused)
    assert Comment.objects.count() == 1


def test_an_empty_comment_is_refused_in_place(mia: Caller, card: Card) -> None:
    refused = browser(mia).post(url("add-comment", card.pk), {"text": "  \n "}, headers=HTMX)

    assert (refused.status_code, code_of(refused)) == (422, "INVALID_INPUT")
    assert "<html" not in text_of(refused)
    assert Comment.objects.count() == 0


@pytest.mark.requirement("B036")
def test_files_are_uploaded_and_come_back_as_downloads(mia: Caller, card: Card) -> None:
    client = browser(mia)
    page = SimpleUploadedFile("page.html", b"<script>alert(1)</script>", content_type="text/html")

    added = _upload(client, card, page)
    file = CardFile.objects.get()
    downloaded = client.get(url("file", file.pk))

    assert added.status_code == 302
    assert (file.name, file.bytes) == ("page.html", 25)
    assert b"".join(downloaded) == b"<script>alert(1)</script>"
    assert downloaded["Content-Disposition"] == 'attachment; filename="page.html"'
    assert downloaded["Content-Type"] != "text/html"
    assert downloaded["X-Content-Type-Options"] == "nosniff"


def test_the_same_upload_twice_adds_its_file_once(mia: Caller, card: Card) -> None:
    client = browser(mia)
    form = form_of(client.get(url("card", card.pk)), url("add-files", card.pk))

    for _ in range(2):
        _upload(client, card, SimpleUploadedFile("notes.md", b"# Notes\n"), **form)

    assert [file.name for file in CardFile.objects.all()] == ["notes.md"]


def test_an_upload_is_all_or_nothing(mia: Caller, card: Card) -> None:
    refused = _upload(browser(mia), card, SimpleUploadedFile("a.md", b"a"), SimpleUploadedFile("empty.md", b""))

    assert (refused.status_code, code_of(refused)) == (400, "FILE_EMPTY")
    assert CardFile.objects.count() == 0


def test_an_upload_that_is_announced_as_too_large_is_refused_unread(
    mia: Caller, card: Card, settings: Settings
) -> None:
    settings.FILES_MAX_BYTES = 1_000

    refused = _upload(browser(mia), card, SimpleUploadedFile("big.bin", bytes(70_000)))

    assert (refused.status_code, code_of(refused)) == (413, "FILE_TOO_LARGE")
    assert CardFile.objects.count() == 0


def test_an_upload_without_the_forms_token_is_refused(mia: Caller, card: Card) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(mia.member.user)

    refused = _upload(client, card, SimpleUploadedFile("a.md", b"a"))

    assert (refused.status_code, code_of(refused)) == (403, "FORM_EXPIRED")
    assert CardFile.objects.count() == 0


def test_a_form_that_takes_no_files_keeps_none(mia: Caller, card: Card) -> None:
    file = SimpleUploadedFile("a.md", b"a")

    answer = browser(mia).post(url("add-comment", card.pk), {"text": "With a file.", "file": file})

    assert answer.status_code == 302
    assert list(answer.wsgi_request.FILES) == []
    assert (Comment.objects.count(), CardFile.objects.count()) == (1, 0)


def test_an_upload_without_a_file_is_refused_in_place(mia: Caller, card: Card) -> None:
    refused = _upload(browser(mia), card)

    assert (refused.status_code, code_of(refused)) == (422, "INVALID_INPUT")


@pytest.mark.requirement("W004")
def test_a_viewer_reads_the_card_and_changes_nothing(vic: Caller, alice: Caller, card: Card) -> None:
    file = make_file(alice, card)
    client = browser(vic)

    page = client.get(url("card", card.pk))
    refused = [
        client.post(url("add-comment", card.pk), {"text": "No."}),
        _upload(client, card, SimpleUploadedFile("a.md", b"a")),
        client.get(url("move-card", card.pk)),
        client.post(url("move-card", card.pk), {"stage_id": str(card.stage_id)}),
    ]

    assert page.status_code == 200
    assert not any(has_form(page, url(name, card.pk)) for name in ("add-comment", "add-files"))
    assert url("move-card", card.pk) not in text_of(page)
    assert b"".join(client.get(url("file", file.pk))) == b"# Notes\n"
    assert [(answer.status_code, code_of(answer)) for answer in refused] == [(403, "FORBIDDEN")] * 4
    assert (Comment.objects.count(), CardFile.objects.count()) == (0, 1)


@pytest.mark.requirement("W002")
def test_a_stranger_gets_what_an_absent_card_gives(charlie: Caller, alice: Caller, card: Card) -> None:
    file = make_file(alice, card)
    client = browser(charlie)

    answers = [
        client.get(url("card", card.pk)),
        client.post(url("add-comment", card.pk), {"text": "Mine."}),
        _upload(client, card, SimpleUploadedFile("a.md", b"a")),
        client.get(url("move-card", card.pk)),
        client.get(url("file", file.pk)),
        client.post(url("stop-turn", card.pk)),
        client.post(url("run-turn-again", card.pk)),
        client.get(url("card", "nonsense")),
    ]

    assert [(answer.status_code, code_of(answer)) for answer in answers] == [(404, "NOT_FOUND")] * 8
    assert (Comment.objects.count(), CardFile.objects.count()) == (0, 1)


def test_the_card_takes_as_many_queries_with_much_on_it_as_with_little(
    alice: Caller, card: Card, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    client = browser(alice)
    _fill(alice, card, times=1)
    with django_assert_max_num_queries(25) as little:
        client.get(url("card", card.pk))
    _fill(alice, card, times=8)

    with django_assert_max_num_queries(25) as much:
        client.get(url("card", card.pk))

    assert len(much) == len(little)


def test_a_comment_on_a_board_that_was_archived_meanwhile_says_so(mia: Caller, alice: Caller, card: Card) -> None:
    set_archived(alice, board=card.board, is_archived=True)

    refused = browser(mia).post(url("add-comment", card.pk), {"text": "Late."}, headers=HTMX)

    assert (refused.status_code, code_of(refused)) == (409, "BOARD_ARCHIVED")
    assert Comment.objects.count() == 0


def _upload(client: Client, card: Card, *uploads: SimpleUploadedFile, **fields: str) -> Any:
    return client.post(url("add-files", card.pk), {**fields, "file": list(uploads)})


def _fill(caller: Caller, card: Card, *, times: int) -> None:
    for n in range(times):
        add_comment(caller, card=card, text=f"Comment {n}")
        make_file(caller, card, name=f"{n}.md")
        keep_result(card=card, iteration=start_round(caller, card=card), made_by=caller.actor, markdown="Done.")
