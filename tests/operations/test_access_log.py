"""One line for each request, with what was learned about it on the way."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from django.test import Client

from bakedbrie.lib import log_context
from tests.support.cast import token_of
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db


class Lines(logging.Handler):
    """Keeps what the access log was given, with the ids that were bound at that moment."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[dict[str, object]] = []

    def emit(self, record: logging.LogRecord) -> None:
        about = {name: getattr(record, name) for name in ("method", "path", "status", "door")}
        self.seen.append({**about, **log_context.current(), "has_time": record.ms > 0})  # type: ignore[attr-defined]


@pytest.fixture
def lines() -> Iterator[list[dict[str, object]]]:
    handler = Lines()
    logging.getLogger("bakedbrie.access").addHandler(handler)
    yield handler.seen
    logging.getLogger("bakedbrie.access").removeHandler(handler)


def test_a_call_is_one_line_with_its_request_workspace_and_token(alice: Caller, lines: list[dict[str, object]]) -> None:
    client = Client(headers={"Authorization": f"Bearer {token_of(alice)}", "X-Request-Id": "of-the-caller"})

    answer = client.get("/api/v1/token")

    (line,) = lines
    token = str(line.pop("token"))
    assert len(token) == 36
    assert line == {
        "method": "GET",
        "path": "/api/v1/token",
        "status": 204,
        "door": "web",
        "request_id": "of-the-caller",
        "workspace": str(alice.workspace.pk),
        "has_time": True,
    }
    assert answer.headers["X-Request-Id"] == "of-the-caller"


def test_a_page_is_one_line_with_its_member(alice: Caller, lines: list[dict[str, object]]) -> None:
    client = Client()
    client.force_login(alice.member.user)

    client.get("/")

    (line,) = lines
    assert (line["status"], line["member"], line["workspace"]) == (
        200,
        str(alice.member.pk),
        str(alice.workspace.pk),
    )


def test_an_id_in_the_body_names_the_line(alice: Caller, lines: list[dict[str, object]]) -> None:
    client = Client(headers={"Authorization": f"Bearer {token_of(alice)}"})

    client.post("/api/v1/tools/whoami", {"request_id": "in-the-body"}, content_type="application/json")

    assert [line["request_id"] for line in lines] == ["in-the-body"]


def test_a_stranger_leaves_a_line_without_a_workspace(lines: list[dict[str, object]]) -> None:
    Client().get("/no/such/page")

    (line,) = lines
    assert line["status"] == 404
    assert "workspace" not in line
