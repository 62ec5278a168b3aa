"""Requests that no client of ours would send: each gets a documented refusal, in JSON, and changes nothing."""

from __future__ import annotations

import pytest
from django.test import Client

from boards.models import Comment
from tests.factories.boards import make_board, make_card
from tests.support.cast import token_of
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db

JSON = "application/json"
DEEP = b'{"card_id":' + b"[" * 10_000 + b"]" * 10_000 + b"}"


@pytest.mark.parametrize(
    ("raw", "media_type", "status"),
    [
        (b'{"card_id": "\\u0000", "text": "x"}', JSON, 400),
        (b'{"card_id": "\\ud800", "text": "x"}', JSON, 400),
        (b'{"card_id": 1e400, "text": "x"}', JSON, 400),
        (b'{"card_id": ' + b"9" * 5000 + b', "text": "x"}', JSON, 400),
        (b'{"card_id": true}', JSON, 400),
        (b'{"a": Infinity}', JSON, 400),
        (b'{"card_id": "a", "card_id": "b"}', JSON, 400),
        (b"\xff\xfe{\x00}\x00", JSON, 400),
        (b"\xc0\x80", JSON, 400),
        (DEEP, JSON, 400),
        (b"null", JSON, 400),
        (b" ", JSON, 400),
        (b"{}", "text/plain", 415),
        (b"{}", "application/xml", 415),
        (b"{}", "multipart/form-data; boundary=x", 415),
        (b"{}", "application/json; charset=utf-16", 400),
        (b"{}", "nonsense", 415),
        (b"{}", "application/json/json", 415),
        (b"{" + b" " * 2_600_000, JSON, 413),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_body_that_is_no_call(alice: Caller, raw: bytes, media_type: str, status: int) -> None:
    make_card(alice, make_board(alice))
    headers = {"Authorization": f"Bearer {token_of(alice)}"}

    response = Client().post("/api/v1/tools/add_comment", raw, content_type=media_type, headers=headers)

    assert response.status_code == status
    assert response.json()["request_id"] == response.headers["X-Request-Id"]
    assert Comment.objects.count() == 0


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/v1/boards/%00", 404),
        ("/api/v1/boards/%FF", 404),
        ("/api/v1/boards/..%2f..%2fetc", 404),
        ("/api/v1/boards/" + "9" * 5000, 404),
        ("/api/v1/boards/%E2%80%AE", 404),
        ("/api/v1/tools/%00", 405),
        ("/api/v1/cards?limit=9999999999999999999999", 400),
        ("/api/v1/cards?limit=1e3", 400),
        ("/api/v1/cards?limit=%00", 400),
        ("/api/v1/cards?cursor=%00", 400),
        ("/api/v1/cards?cursor=bm90IGpzb24", 400),
        ("/api/v1/cards?board_id=%00", 400),
        ("/api/v1/cards?owner=%ff", 200),
        ("/api/v1/cards?%00=1", 400),
        ("/api/v1/cards?limit=1&limit=2", 400),
        ("/api/v1/audit?verb=%00", 400),
        ("/api/v1/triggers?board_id=nonsense", 404),
        ("/api/v1/boards/", 404),
        ("/api/v1//boards", 404),
        ("/api/v1", 404),
        ("/api/v1/", 404),
        ("/api/v2/boards", 404),
    ],
    ids=lambda value: str(value)[:40],
)
def test_an_address_that_is_none(alice: Caller, path: str, status: int) -> None:
    response = Client().get(path, headers={"Authorization": f"Bearer {token_of(alice)}"})

    assert response.status_code == status
    assert response.json()["request_id"] == response.headers["X-Request-Id"]


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "PUT", "TRACE", "CONNECT", "PURGE", "get", "X" * 300])
def test_a_method_that_is_none(alice: Caller, method: str) -> None:
    headers = {"Authorization": f"Bearer {token_of(alice)}"}

    response = Client().generic(method, "/api/v1/cards", headers=headers)

    assert response.status_code == (200 if method in {"HEAD", "get"} else 405)
    if response.status_code == 405:
        assert (response.json()["error"]["code"], response.headers["Allow"]) == ("METHOD_NOT_ALLOWED", "GET, HEAD")


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("*/*", 200),
        ("application/*", 200),
        (JSON, 200),
        ("text/html, */*;q=0.1", 200),
        ("text/html", 406),
        ("application/xml, image/*", 406),
    ],
)
def test_answers_are_json_or_refused(alice: Caller, accept: str, status: int) -> None:
    headers = {"Authorization": f"Bearer {token_of(alice)}", "Accept": accept}

    response = Client().get("/api/v1/cards", headers=headers)

    assert (response.status_code, response.headers["Content-Type"]) == (status, JSON)


@pytest.mark.parametrize("request_id", ["a b", "x" * 101, "é", "<script>", "a\tb"])
def test_an_odd_request_id_of_a_change_is_refused(alice: Caller, request_id: str) -> None:
    card = make_card(alice, make_board(alice))
    headers = {"Authorization": f"Bearer {token_of(alice)}", "X-Request-Id": request_id}

    response = Client().generic("POST", f"/api/v1/cards/{card.pk}/trash", headers=headers)

    assert (response.status_code, list(response.json()["error"]["fields"])) == (400, ["request_id"])
    assert request_id not in response.headers["X-Request-Id"]
    card.refresh_from_db()
    assert card.trashed_at is None
