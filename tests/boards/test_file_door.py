"""Uploads and downloads over REST."""

from __future__ import annotations

import io
from email.message import Message
from typing import Any
from urllib.parse import unquote

import pytest
from django.core.files.storage import storages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from pytest_django import Settings
from rest_framework.test import APIClient

from boards.models import Card, CardFile
from tests.factories.boards import make_board, make_card, make_file
from tests.support.cast import api, browser, token_of
from tests.support.races import at_once
from workspaces.caller import Caller
from workspaces.services.capabilities import switch_capability
from workspaces.states import Preset

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(17)


@pytest.fixture
def card(alice: Caller) -> Card:
    return make_card(alice, make_board(alice))


def upload(client: APIClient, card: Card, *files: SimpleUploadedFile) -> tuple[int, dict[str, object]]:
    answer = client.post(f"/api/v1/cards/{card.pk}/files", {"file": list(files)}, format="multipart")
    return answer.status_code, answer.json()


def put(client: APIClient, card: Card, body: bytes, query: str = "?name=notes.md") -> tuple[int, dict[str, object]]:
    answer = client.post(f"/api/v1/cards/{card.pk}/files{query}", body, content_type="application/octet-stream")
    return answer.status_code, answer.json()


def code(body: dict[str, object]) -> object:
    error = body["error"]
    assert isinstance(error, dict)
    return error["code"]


@pytest.mark.requirement("B036")
def test_a_file_is_uploaded_as_a_form_field(alice: Caller, card: Card) -> None:
    status, answer = upload(api(alice), card, SimpleUploadedFile("notes.md", b"# Notes\n" * 20_000))

    file = CardFile.objects.get()
    assert status == 201
    assert (file.name, file.bytes, file.media_type) == ("notes.md", 160_000, "text/markdown")
    assert answer["file"]["sha256"] == file.sha256  # type: ignore[index]


@pytest.mark.requirement("B036")
def test_a_file_is_uploaded_as_the_whole_body(alice: Caller, card: Card) -> None:
    status, _ = put(api(alice), card, b"a,b\n1,2\n", "?name=d%C3%A9j%C3%A0%20vu.csv")

    file = CardFile.objects.get()
    assert status == 201
    assert (file.name, file.bytes, file.media_type) == ("déjà vu.csv", 8, "text/csv")


def test_a_body_of_any_announced_type_is_taken_as_bytes(alice: Caller, card: Card) -> None:
    path = f"/api/v1/cards/{card.pk}/files?name=x"
    client = api(alice)

    for announced in ("application/json", "application/x-www-form-urlencoded", "text/html"):
        assert client.post(path, PNG, content_type=announced).status_code == 201

    assert set(CardFile.objects.values_list("media_type", flat=True)) == {"image/png"}


@pytest.mark.parametrize("query", ["", "?name=", "?name=a&mode=1"])
def test_a_whole_body_needs_a_name_and_nothing_else(alice: Caller, card: Card, query: str) -> None:
    status, answer = put(api(alice), card, b"x", query)

    assert (status, code(answer)) == (400, "INVALID_INPUT")
    assert CardFile.objects.count() == 0


def test_a_form_holds_exactly_one_file(alice: Caller, card: Card) -> None:
    client = api(alice)

    none = client.post(f"/api/v1/cards/{card.pk}/files", {"name": "x"}, format="multipart")
    two = upload(client, card, SimpleUploadedFile("a", b"a"), SimpleUploadedFile("b", b"b"))

    assert (none.status_code, code(none.json())) == (400, "INVALID_INPUT")
    assert (two[0], code(two[1])) == (400, "INVALID_INPUT")
    assert CardFile.objects.count() == 0


def test_files_that_are_too_large_or_empty_are_refused(alice: Caller, card: Card, settings: Settings) -> None:
    settings.FILES_MAX_BYTES = 100
    client = api(alice)

    answers = [
        put(client, card, b"x" * 101),
        put(client, card, b""),
        upload(client, card, SimpleUploadedFile("a", b"x" * 101)),
        upload(client, card, SimpleUploadedFile("a", b"x" * 100_000)),
        upload(client, card, SimpleUploadedFile("a", b"")),
    ]

    assert [(status, code(answer)) for status, answer in answers] == [
        (413, "FILE_TOO_LARGE"),
        (400, "FILE_EMPTY"),
        (413, "FILE_TOO_LARGE"),
        (413, "FILE_TOO_LARGE"),
        (400, "FILE_EMPTY"),
    ]
    assert CardFile.objects.count() == 0


def test_a_body_that_ends_early_is_not_kept(alice: Caller, card: Card) -> None:
    path = f"/api/v1/cards/{card.pk}/files?name=cut.bin"
    half: Any = {"CONTENT_LENGTH": "500", "wsgi.input": io.BytesIO(b"only this")}

    answer = api(alice).post(path, b"only this", content_type="application/octet-stream", **half)

    assert (answer.status_code, code(answer.json())) == (400, "INVALID_INPUT")
    assert CardFile.objects.count() == 0


FORM = b'--edge\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello'


@pytest.mark.parametrize(
    ("end", "status"),
    [
        (b"\r\n--edge--\r\n", 201),
        (b"\r\n--edge--", 201),
        (b"\r\n--edge--\r\nan epilogue", 201),
        (b"", 400),
        (b"\r\n", 400),
        (b"\r\n--edge", 400),
        (b"\r\n--edge\r\n", 400),
        (b"\r\n--edg--", 400),
    ],
)
def test_a_form_that_ends_before_its_last_boundary_is_not_kept(
    alice: Caller, card: Card, end: bytes, status: int
) -> None:
    path = f"/api/v1/cards/{card.pk}/files"

    answer = api(alice).post(path, FORM + end, content_type="multipart/form-data; boundary=edge")

    assert answer.status_code == status
    assert code(answer.json()) == "INVALID_INPUT" if status == 400 else CardFile.objects.get().bytes == 5
    assert kept_keys() == set(CardFile.objects.values_list("storage_key", flat=True))


def kept_keys() -> set[str]:
    """Return the keys of everything that storage holds for cards that exist."""
    folders = [f"cards/{pk}" for pk in Card.objects.values_list("pk", flat=True)]
    return {f"{folder}/{name}" for folder in folders for name in names_in(folder)}


def names_in(folder: str) -> list[str]:
    try:
        return storages["default"].listdir(folder)[1]
    except FileNotFoundError:
        return []


@pytest.mark.requirement("W059")
def test_a_repeated_upload_adds_one_file(alice: Caller, card: Card) -> None:
    client = api(alice)
    path = f"/api/v1/cards/{card.pk}/files?name=a.txt"
    once = {"X-Request-Id": "upload-1"}

    first = client.post(path, b"hello", content_type="text/plain", headers=once)
    again = client.post(path, b"hello", content_type="text/plain", headers=once)

    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert CardFile.objects.count() == 1
    assert kept_keys() == {CardFile.objects.get().storage_key}


@pytest.mark.requirement("W059")
def test_a_repeated_form_adds_one_file(alice: Caller, card: Card) -> None:
    client = api(alice)

    answers = [
        client.post(
            f"/api/v1/cards/{card.pk}/files",
            {"file": SimpleUploadedFile("a.txt", b"hello")},
            format="multipart",
            headers={"X-Request-Id": "upload-1"},
        ).json()
        for _ in range(2)
    ]

    assert answers[0] == answers[1]
    assert CardFile.objects.count() == 1


@pytest.mark.requirement("W060")
@pytest.mark.parametrize(("name", "content"), [("a.txt", b"other"), ("b.txt", b"hello")])
def test_another_upload_under_a_used_request_id_is_refused(
    alice: Caller, card: Card, name: str, content: bytes
) -> None:
    client, path = api(alice), f"/api/v1/cards/{card.pk}/files?name="
    client.post(f"{path}a.txt", b"hello", content_type="text/plain", headers={"X-Request-Id": "upload-1"})

    refused = client.post(f"{path}{name}", content, content_type="text/plain", headers={"X-Request-Id": "upload-1"})

    assert (refused.status_code, code(refused.json())) == (409, "REQUEST_ID_REUSED")
    assert kept_keys() == {CardFile.objects.get().storage_key}


@pytest.mark.django_db(transaction=True)
def test_twins_of_one_upload_add_one_file(alice: Caller) -> None:
    card, token = make_card(alice, make_board(alice)), token_of(alice)

    def send() -> object:
        client = APIClient()
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}", HTTP_X_REQUEST_ID="upload-1")
        answer = client.post(f"/api/v1/cards/{card.pk}/files?name=a.txt", b"hello", content_type="text/plain")
        return answer.json()["file"]["id"]

    first, second = at_once(send, send)

    assert first == second == str(CardFile.objects.get().pk)
    assert kept_keys() == {CardFile.objects.get().storage_key}


@pytest.mark.requirement("B029")
def test_files_need_media(alice: Caller, card: Card) -> None:
    file = make_file(alice, card)
    switch_capability(alice, name="media", is_on=False)
    client = api(alice)

    answers = [
        client.get(f"/api/v1/cards/{card.pk}/files"),
        client.post(f"/api/v1/cards/{card.pk}/files?name=a", b"a", content_type="text/plain"),
        client.get(f"/api/v1/files/{file.pk}"),
        client.get(f"/api/v1/files/{file.pk}/content"),
        client.post(f"/api/v1/files/{file.pk}/link"),
        client.delete(f"/api/v1/files/{file.pk}"),
    ]

    assert {(answer.status_code, code(answer.json())) for answer in answers} == {(403, "CAPABILITY_OFF")}
    assert CardFile.objects.filter(removed_at=None).count() == 1


@pytest.mark.requirement("W034")
def test_without_media_pages_and_tools_refuse_files_as_rest_does(alice: Caller, card: Card) -> None:
    file = make_file(alice, card)
    switch_capability(alice, name="media", is_on=False)
    client, page = api(alice), browser(alice)

    download = page.get(reverse("file", args=[str(file.pk)]))
    upload = page.post(reverse("add-files", args=[str(card.pk)]), {"file": SimpleUploadedFile("b.md", b"b")})
    listed = client.post("/api/v1/tools/list_card_files", {"card_id": str(card.pk)}, format="json")
    over_rest = client.get(f"/api/v1/cards/{card.pk}").json()
    by_tool = client.post("/api/v1/tools/read_card", {"card_id": str(card.pk)}, format="json").json()["untrusted_data"]

    assert [answer.status_code for answer in (download, upload, listed)] == [403, 403, 403]
    assert code(listed.json()) == "CAPABILITY_OFF"
    assert (over_rest["files"], by_tool["card"]["files"]) == ([], [])
    assert "files-title" not in page.get(reverse("card", args=[str(card.pk)])).content.decode()
    assert CardFile.objects.count() == 1


def test_viewers_read_only_tokens_and_strangers_upload_nothing(
    alice: Caller, vic: Caller, mia: Caller, charlie: Caller
) -> None:
    card = make_card(alice, make_board(alice, members=[vic.member]))
    file = make_file(alice, card)

    viewer, read_only = api(vic), api(alice, Preset.READ_ONLY)
    assert code(put(viewer, card, b"x")[1]) == "FORBIDDEN"
    assert code(put(read_only, card, b"x")[1]) == "TOKEN_READ_ONLY"
    for stranger in (api(mia), api(charlie)):
        assert code(put(stranger, card, b"x")[1]) == "NOT_FOUND"
        assert code(stranger.get(f"/api/v1/files/{file.pk}/content").json()) == "NOT_FOUND"
        assert code(stranger.delete(f"/api/v1/files/{file.pk}").json()) == "NOT_FOUND"

    assert list(CardFile.objects.filter(removed_at=None)) == [file]


def test_files_are_listed_shown_and_removed(alice: Caller, card: Card) -> None:
    file = make_file(alice, card)
    client = api(alice)

    listed = client.get(f"/api/v1/cards/{card.pk}/files").json()["files"]
    shown = client.get(f"/api/v1/files/{file.pk}").json()["file"]
    removed = client.delete(f"/api/v1/files/{file.pk}")

    assert listed == [shown]
    assert removed.status_code == 200
    assert client.get(f"/api/v1/files/{file.pk}").status_code == 404


def disposition(header: str) -> tuple[str, str]:
    """Read the header as a mail reader would: how to show it, and the name."""
    message = Message()
    message["Content-Disposition"] = header
    name = message.get_filename()
    return message.get_content_disposition() or "", unquote(name or "")


@pytest.mark.parametrize(
    "name", ["notes.md", "déjà vu.csv", 'say "hi".txt', "日本語.txt", "a;b.txt", "per%20cent.txt", "🧀.txt"]
)
def test_a_download_is_an_attachment_with_the_files_name(alice: Caller, card: Card, name: str) -> None:
    file = make_file(alice, card, name=name, content=b"hello")

    answer = api(alice).get(f"/api/v1/files/{file.pk}/content")

    header = answer.headers["Content-Disposition"]
    assert b"".join(answer.streaming_content) == b"hello"  # type: ignore[attr-defined]
    assert header.isascii()
    assert disposition(header)[0] == "attachment"
    assert unquote(file.name) == disposition(header)[1]


@pytest.mark.parametrize(
    ("name", "content", "media_type"),
    [
        ("a.txt", b"hello", "text/plain; charset=utf-8"),
        ("a.png", PNG, "image/png"),
        ("a.html", b"<script>alert(1)</script>", "text/plain; charset=utf-8"),
        ("a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "text/plain; charset=utf-8"),
        ("a.csv", b"a,b\n", "application/octet-stream"),
        ("a.bin", bytes(range(256)), "application/octet-stream"),
    ],
)
def test_a_download_never_runs_in_a_browser(
    alice: Caller, card: Card, name: str, content: bytes, media_type: str
) -> None:
    file = make_file(alice, card, name=name, content=content)

    answer = api(alice).get(f"/api/v1/files/{file.pk}/content", HTTP_ACCEPT="image/webp")

    assert b"".join(answer.streaming_content) == content  # type: ignore[attr-defined]
    assert answer.headers["Content-Type"] == media_type
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert answer.headers["Content-Length"] == str(len(content))
