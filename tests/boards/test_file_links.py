"""Download links: signed, short-lived, and never stronger than whoever made them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings
from time_machine import TimeMachineFixture

from bakedbrie.lib import clock, storage
from boards.models import Board, Card, CardFile
from boards.services.file_links import make_link
from boards.services.files import remove_file
from boards.services.members import remove_board_member
from tests.factories.boards import make_board, make_card, make_file
from tests.factories.workspaces import token_caller
from tests.support.cast import api, token_of
from tests.web.pages import code_of
from workspaces.caller import Caller
from workspaces.models import Token
from workspaces.services.capabilities import switch_capability
from workspaces.services.members import remove_member
from workspaces.services.tokens import revoke_token
from workspaces.services.users import set_active
from workspaces.states import Preset

pytestmark = pytest.mark.django_db


@pytest.fixture
def board(alice: Caller, mia: Caller, vic: Caller) -> Board:
    return make_board(alice, members=[mia.member, vic.member])


@pytest.fixture
def card(alice: Caller, board: Board) -> Card:
    return make_card(alice, board)


@pytest.fixture
def file(alice: Caller, card: Card) -> CardFile:
    return make_file(alice, card, name="page.html", content=b"<script>alert(1)</script>")


def status_of(path: str) -> int:
    """Fetch the file to its end and return the status."""
    answer: Any = Client().get(path)
    answer.getvalue()
    return int(answer.status_code)


def path_of(caller: Caller, file: CardFile) -> str:
    return make_link(caller, file=file).url.removeprefix("http://127.0.0.1:8000")


def test_a_link_downloads_the_file_without_session_or_token(alice: Caller, file: CardFile) -> None:
    asked = clock.now()

    answer = api(alice).post(f"/api/v1/files/{file.pk}/link").json()
    fetched: Any = Client().get(answer["url"].removeprefix("http://127.0.0.1:8000"))

    assert fetched.getvalue() == b"<script>alert(1)</script>"
    assert fetched["Content-Disposition"] == 'attachment; filename="page.html"'
    assert fetched["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert fetched["X-Content-Type-Options"] == "nosniff"
    assert fetched["Cache-Control"] == "private, no-store"
    assert fetched["Referrer-Policy"] == "no-referrer"
    assert not fetched.cookies
    expires_at = clock.now().fromisoformat(answer["expires_at"])
    assert timedelta(minutes=5) <= expires_at - asked < timedelta(minutes=5, seconds=30)


def test_who_may_read_may_make_a_link(alice: Caller, vic: Caller, charlie: Caller, file: CardFile) -> None:
    path = f"/api/v1/files/{file.pk}/link"

    statuses = [one.post(path).status_code for one in (api(vic), api(alice, Preset.READ_ONLY))]
    refused = [one.post(path).json()["error"]["code"] for one in (api(charlie), api(alice, Preset.RUNNER))]

    assert statuses == [200, 200]
    assert refused == ["NOT_FOUND", "TOKEN_RUNNER_ONLY"]


def test_a_link_lasts_five_minutes(alice: Caller, file: CardFile, time_machine: TimeMachineFixture) -> None:
    time_machine.move_to(clock.now(), tick=False)
    path = path_of(alice, file)

    time_machine.shift(timedelta(minutes=4, seconds=59))
    in_time = status_of(path)
    time_machine.shift(timedelta(seconds=2))
    late = Client().get(path)

    assert in_time == 200
    assert (late.status_code, code_of(late)) == (409, "LINK_EXPIRED")


def test_whatever_is_wrong_answers_alike(alice: Caller, file: CardFile, card: Card, settings: Settings) -> None:
    path, removed, lost = path_of(alice, file), make_file(alice, card, name="a"), make_file(alice, card, name="b")
    links = [path_of(alice, removed), path_of(alice, lost)]
    remove_file(alice, file=removed)
    storage.delete(lost.storage_key)
    forged = [path[:-2] + ("A" if path[-2] != "A" else "B") + "/", "/downloads/x/", "/downloads/a:b:c/"]

    answers = [Client().get(one) for one in (*forged, links[0])]
    settings.SECRET_KEY = "another key altogether, long enough"
    answers.append(Client().get(path))

    assert {(answer.status_code, code_of(answer)) for answer in answers} == {(409, "LINK_EXPIRED")}
    assert code_of(Client().get(links[1])) == "LINK_EXPIRED"


def take_token(alice: Caller, mia: Caller, board: Board) -> None:
    revoke_token(mia, token=Token.objects.get(member=mia.member))


def take_board(alice: Caller, mia: Caller, board: Board) -> None:
    remove_board_member(alice, board=board, member=mia.member)


def take_membership(alice: Caller, mia: Caller, board: Board) -> None:
    remove_member(alice, member=mia.member)


def take_account(alice: Caller, mia: Caller, board: Board) -> None:
    set_active(mia.member.user, is_active=False)


def take_capability(alice: Caller, mia: Caller, board: Board) -> None:
    switch_capability(alice, name="media", is_on=False)


@pytest.mark.requirement("C095")
@pytest.mark.parametrize("take", [take_token, take_board, take_membership, take_account, take_capability])
def test_a_link_ends_with_the_right_to_make_it(
    alice: Caller, mia: Caller, board: Board, file: CardFile, take: Callable[[Caller, Caller, Board], None]
) -> None:
    path = path_of(token_caller(token_of(mia)), file)
    assert status_of(path) == 200

    take(alice, mia, board)

    refused = Client().get(path)
    assert (refused.status_code, code_of(refused)) == (409, "LINK_EXPIRED")


def test_a_persons_link_outlives_their_tokens(alice: Caller, mia: Caller, file: CardFile) -> None:
    token_of(mia)
    path = path_of(mia, file)

    revoke_token(mia, token=Token.objects.get(member=mia.member))

    assert status_of(path) == 200


def test_a_link_is_good_for_nothing_else(alice: Caller, file: CardFile) -> None:
    path = path_of(alice, file)
    signed = path.split("/")[-2]

    assert Client().post(path).status_code == 405
    assert Client().get(f"/files/{file.pk}/", headers={"Authorization": f"Bearer {signed}"}).status_code == 302
    assert Client().get("/api/v1/token", headers={"Authorization": f"Bearer {signed}"}).status_code == 401


def test_a_download_costs_two_queries_for_a_person(alice: Caller, file: CardFile) -> None:
    path = path_of(alice, file)

    with CaptureQueriesContext(connection) as seen:
        assert status_of(path) == 200

    assert len(seen) == 2
