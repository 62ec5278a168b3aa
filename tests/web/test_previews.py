"""Looking at files of a card: previews, the bytes they show, parts of them, and taking a file away."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from bakedbrie.lib import storage
from boards.models import Board, BoardEvent, Card, CardFile
from boards.previews import PreviewKind, kind_of
from boards.services.previews import MARKDOWN_BYTES, TEXT_BYTES
from boards.states import EventKind
from tests.factories.boards import make_board, make_card, make_file
from tests.support.cast import browser
from tests.web.pages import HTMX, code_of, form_of, has_form, text_of, url
from workspaces.caller import Caller

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(100))
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
MP3 = b"ID3\x03\x00" + bytes(range(200))
MP4 = b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom" + bytes(50)
HOSTILE = b"<html><script>alert(1)</script></html>"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


@pytest.fixture
def board(alice: Caller, mia: Caller, vic: Caller) -> Board:
    return make_board(alice, members=[mia.member, vic.member])


@pytest.fixture
def card(alice: Caller, board: Board) -> Card:
    return make_card(alice, board)


def body_of(answer: Any) -> bytes:
    return answer.content if isinstance(answer, HttpResponse) else b"".join(answer)


def whole(client: Client, address: str) -> Any:
    """Fetch a file to its end, which closes it."""
    answer = client.get(address)
    body_of(answer)
    return answer


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.png", PNG, PreviewKind.IMAGE),
        ("a.txt", PNG, PreviewKind.IMAGE),  # what the bytes show, not what the name says
        ("a.pdf", PDF, PreviewKind.PDF),
        ("a.mp3", MP3, PreviewKind.AUDIO),
        ("a.mp4", MP4, PreviewKind.VIDEO),
        ("a.md", b"# Hello", PreviewKind.MARKDOWN),
        ("a.csv", b"a,b\n", PreviewKind.TABLE),
        ("a.csv", "ä;b\n".encode("latin-1"), PreviewKind.TABLE),
        ("a.py", b"print(1)", PreviewKind.TEXT),
        ("a.html", HOSTILE, PreviewKind.TEXT),
        ("a.svg", SVG, PreviewKind.TEXT),
        ("a.zip", b"PK\x03\x04" + bytes(40), PreviewKind.NONE),
        ("a.bin", bytes(40), PreviewKind.NONE),
    ],
)
def test_the_kind_of_a_preview_is_told_by_the_bytes(
    alice: Caller, card: Card, name: str, content: bytes, kind: PreviewKind
) -> None:
    assert kind_of(make_file(alice, card, name=name, content=content)) is kind


@pytest.mark.requirement("W063")
@pytest.mark.parametrize("name", ["a.html", "a.svg", "a.md", "a.csv"])
def test_what_a_browser_would_run_is_shown_as_the_text_it_is(alice: Caller, card: Card, name: str) -> None:
    file = make_file(alice, card, name=name, content=SVG if name == "a.svg" else HOSTILE)

    shown = browser(alice).get(url("preview-file", file.pk), headers=HTMX)

    assert shown.status_code == 200
    assert "<html" not in text_of(shown)
    assert "<script" not in text_of(shown)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text_of(shown)


@pytest.mark.requirement("W063")
@pytest.mark.parametrize(
    ("name", "content"), [("a.html", HOSTILE), ("a.svg", SVG), ("a.zip", b"PK\x03\x04" + bytes(40))]
)
def test_what_no_preview_shows_is_a_download_also_where_its_bytes_are_asked_for(
    alice: Caller, card: Card, name: str, content: bytes
) -> None:
    file = make_file(alice, card, name=name, content=content)

    answer = browser(alice).get(url("file-content", file.pk))

    assert body_of(answer) == content
    assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
    assert answer["Content-Type"] not in {"text/html", "image/svg+xml"}
    assert (answer["X-Content-Type-Options"], answer["Content-Security-Policy"]) == (
        "nosniff",
        "sandbox; default-src 'none'",
    )


@pytest.mark.parametrize(
    ("name", "content", "media_type"),
    [
        ("a.png", PNG, "image/png"),
        ("a.pdf", PDF, "application/pdf"),
        ("a.mp3", MP3, "audio/mpeg"),
        ("a.mp4", MP4, "video/mp4"),
    ],
)
def test_bytes_of_a_preview_come_with_their_own_type_and_no_rights(
    alice: Caller, card: Card, name: str, content: bytes, media_type: str
) -> None:
    file = make_file(alice, card, name=name, content=content)

    answer = browser(alice).get(url("file-content", file.pk))

    assert (answer.status_code, body_of(answer)) == (200, content)
    assert {key: answer[key] for key in ("Content-Type", "Content-Disposition", "Content-Length", "Accept-Ranges")} == {
        "Content-Type": media_type,
        "Content-Disposition": f'inline; filename="{name}"',
        "Content-Length": str(len(content)),
        "Accept-Ranges": "bytes",
    }
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer["Cache-Control"] == "private, no-cache"


@pytest.mark.parametrize(
    ("asked", "status", "told"),
    [
        ("bytes=0-3", 206, "bytes 0-3/205"),
        ("bytes=200-", 206, "bytes 200-204/205"),
        ("bytes=-5", 206, "bytes 200-204/205"),
        ("bytes=-999", 206, "bytes 0-204/205"),
        ("bytes=100-999", 206, "bytes 100-204/205"),
        ("bytes=204-204", 206, "bytes 204-204/205"),
        ("bytes=205-", 416, "bytes */205"),
        ("bytes=-0", 416, "bytes */205"),
        ("bytes=0-1,5-6", 200, None),
        ("bytes=5-2", 200, None),
        ("bytes=x-", 200, None),
        ("bytes=-", 200, None),
        ("lines=0-3", 200, None),
    ],
)
def test_a_part_is_given_where_one_was_asked_for(
    alice: Caller, card: Card, asked: str, status: int, told: str | None
) -> None:
    file = make_file(alice, card, name="a.mp3", content=MP3)

    answer = browser(alice).get(url("file-content", file.pk), headers={"Range": asked})

    assert (answer.status_code, answer.get("Content-Range")) == (status, told)
    first, last = (int(n) for n in told[6:].partition("/")[0].split("-")) if status == 206 and told else (0, 204)
    assert body_of(answer) == (b"" if status == 416 else MP3[first : last + 1])


def test_a_part_of_what_the_browser_has_another_copy_of_is_the_whole(alice: Caller, card: Card) -> None:
    file = make_file(alice, card, name="a.mp3", content=MP3)
    client, address = browser(alice), url("file-content", file.pk)
    tag = whole(client, address)["ETag"]

    answers = [
        client.get(address, headers={"Range": "bytes=0-3", "If-Range": given})
        for given in (tag, f"W/{tag}", '"other"', "Mon, 30 Nov 2026 10:00:00 GMT")
    ]

    assert [(answer.status_code, len(body_of(answer))) for answer in answers] == [(206, 4), *[(200, 205)] * 3]


def test_a_browser_that_has_the_file_is_not_sent_it_again(alice: Caller, card: Card) -> None:
    file = make_file(alice, card, name="a.png", content=PNG)
    client, address = browser(alice), url("file-content", file.pk)

    answer = client.get(address, headers={"If-None-Match": whole(client, address)["ETag"], "Range": "bytes=0-3"})

    assert (answer.status_code, body_of(answer)) == (304, b"")
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_a_table_in_the_encoding_of_an_old_spreadsheet_is_shown_with_its_formulas_as_text(
    alice: Caller, card: Card
) -> None:
    file = make_file(alice, card, name="a.csv", content="Größe;Summe\nklein;=SUM(A1:A2)\n".encode("cp1252"))

    shown = text_of(browser(alice).get(url("preview-file", file.pk), headers=HTMX))

    assert '<th scope="col">Größe</th><th scope="col">Summe</th>' in shown
    assert "<td>klein</td><td>=SUM(A1:A2)</td>" in shown


def test_of_a_large_text_the_beginning_is_shown_and_the_page_says_so(alice: Caller, card: Card) -> None:
    file = make_file(alice, card, name="a.log", content=b"line\n" * (TEXT_BYTES // 4))

    answer = browser(alice).get(url("preview-file", file.pk), headers=HTMX)

    assert answer.context["preview"].is_cut
    assert "Only the beginning is shown here." in text_of(answer)
    assert len(answer.content) < TEXT_BYTES + 5_000


def test_bytes_that_promised_to_be_text_have_no_preview(alice: Caller, card: Card) -> None:
    file = make_file(alice, card, name="a.txt", content=b"\x00\x01\x02\xff" * 10)

    answer = browser(alice).get(url("preview-file", file.pk), headers=HTMX)

    assert answer.context["preview"].kind is PreviewKind.NONE
    assert "There is no preview of this kind of file." in text_of(answer)


def test_a_file_whose_bytes_are_gone_is_not_found(alice: Caller, card: Card) -> None:
    text = make_file(alice, card, name="a.md")
    picture = make_file(alice, card, name="a.png", content=PNG)
    for file in (text, picture):
        storage.delete(file.storage_key)

    answers = [
        browser(alice).get(url(name, file.pk))
        for name, file in (("preview-file", text), ("file-content", picture), ("file", text))
    ]

    assert [(answer.status_code, code_of(answer)) for answer in answers] == [(404, "NOT_FOUND")] * 3


def test_a_preview_leads_to_the_files_beside_it_and_is_a_page_without_scripts(alice: Caller, card: Card) -> None:
    first, second, third = (make_file(alice, card, name=f"{n}.md") for n in range(3))

    page = browser(alice).get(url("preview-file", second.pk))

    assert "<html" in text_of(page)
    assert f'href="{url("preview-file", first.pk)}"' in text_of(page)
    assert f'href="{url("preview-file", third.pk)}"' in text_of(page)
    assert url("card", card.pk) in text_of(page)


def test_a_member_takes_a_file_away_after_a_question(mia: Caller, alice: Caller, card: Card) -> None:
    file = make_file(alice, card, name="a.md")
    client, action = browser(mia), url("remove-file", file.pk)
    question = client.get(action, headers=HTMX)

    answer = client.post(action, form_of(question, action), headers=HTMX)

    assert "Remove “a.md”?" in text_of(question)
    assert answer.status_code == 204
    file.refresh_from_db()
    assert file.removed_at is not None
    assert BoardEvent.objects.get(kind=EventKind.FILE_REMOVED).actor == mia.actor
    assert "a.md" not in text_of(client.get(url("card", card.pk))).partition('id="history"')[0]


@pytest.mark.requirement("W004", "W002")
def test_viewers_look_and_strangers_do_not(vic: Caller, charlie: Caller, alice: Caller, card: Card) -> None:
    file = make_file(alice, card, name="a.png", content=PNG)
    names = ("preview-file", "file-content", "remove-file")

    seen = [browser(vic).get(url(name, file.pk)) for name in names]
    foreign = [browser(charlie).get(url(name, file.pk)) for name in names]
    refused = browser(vic).post(url("remove-file", file.pk))

    assert [answer.status_code for answer in seen] == [200, 200, 403]
    body_of(seen[1])
    assert [(answer.status_code, code_of(answer)) for answer in foreign] == [(404, "NOT_FOUND")] * 3
    assert (refused.status_code, code_of(refused)) == (403, "FORBIDDEN")
    assert not has_form(browser(vic).get(url("card", card.pk)), url("add-files", card.pk))
    assert CardFile.objects.get().removed_at is None


def test_pictures_stand_small_beside_their_name_unless_they_are_large(alice: Caller, card: Card) -> None:
    small = make_file(alice, card, name="small.png", content=PNG)
    large = make_file(alice, card, name="large.png", content=PNG + bytes(2_000_000))

    page = text_of(browser(alice).get(url("card", card.pk)))

    assert f'<img class="file-mark" src="{url("file-content", small.pk)}"' in page
    assert url("file-content", large.pk) not in page


def test_a_preview_takes_as_many_queries_beside_many_files_as_beside_two(
    alice: Caller, card: Card, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    files = [make_file(alice, card, name=f"{n}.md") for n in range(3)]
    client, address = browser(alice), url("preview-file", files[1].pk)
    client.get(address)
    with django_assert_max_num_queries(15) as few:
        client.get(address)
    for n in range(10, 20):
        make_file(alice, card, name=f"{n}.md")

    with django_assert_max_num_queries(15) as many:
        client.get(address)

    assert len(many) == len(few)


def test_a_long_markdown_file_is_shown_up_to_what_renders_fast(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    file = make_file(alice, card, name="a.md", content=b"![" * MARKDOWN_BYTES)

    answer = browser(alice).get(f"/files/{file.pk}/preview/")

    assert answer.status_code == 200
    assert len(answer.content) < MARKDOWN_BYTES + 8_000
