"""What somebody has under way when their rights go: the next step of every kind is refused, and nothing has changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from django.http import HttpResponse, HttpResponseBase
from django.test import Client
from rest_framework.test import APIClient

from boards.models import Board, Card, CardFile, Comment
from boards.services.members import add_board_member, remove_board_member
from boards.states import StageRole
from tests.factories.boards import make_board, make_card, make_file, stage_of
from tests.support.cast import api, browser
from tests.web.pages import code_of
from workspaces.caller import Caller
from workspaces.models import Invite, SecretDrop, Token
from workspaces.roles import Role
from workspaces.services.invites import invite_member
from workspaces.services.members import change_role, remove_member
from workspaces.services.tokens import revoke_token
from workspaces.states import DropState

pytestmark = pytest.mark.django_db


@dataclass(kw_only=True)
class UnderWay:
    """Mia on a board of Alice's: signed in, with a token, a preview of a move, a drop and a link that she made."""

    alice: Caller
    mia: Caller
    board: Board
    card: Card
    file: CardFile
    client: APIClient
    page: Client
    move: dict[str, str]
    drop_id: str
    link: str

    def by_token(self) -> dict[str, tuple[int, str]]:
        """Take the next step of each kind with the token; return status and code."""
        card = f"/api/v1/cards/{self.card.pk}"
        return {
            "read": shown(self.client.get(card)),
            "move": self.call("move_card", **self.move),
            "comment": self.call("add_comment", card_id=str(self.card.pk), text="Hello"),
            "upload": shown(self.client.post(f"{card}/files?name=a", b"a", content_type="text/plain")),
            "fill": shown(self.client.post(f"/api/v1/drops/{self.drop_id}", b" 61", content_type="text/plain")),
            "trash": shown(self.client.post(f"{card}/trash")),
        }

    def on_the_web(self) -> dict[str, tuple[int, str | None]]:
        """Do the same in the browser."""
        card = f"/cards/{self.card.pk}"
        answers: dict[str, HttpResponseBase] = {
            "read": self.page.get(f"{card}/"),
            "comment": self.page.post(f"{card}/comments/", {"text": "Hello"}),
            "move": self.page.post(f"{card}/move/", self.move),
            "download": self.page.get(f"/files/{self.file.pk}/"),
        }
        return {name: (answer.status_code, shown_code(answer)) for name, answer in answers.items()}

    def call(self, tool: str, **arguments: str) -> tuple[int, str]:
        return shown(self.client.post(f"/api/v1/tools/{tool}", arguments, format="json"))

    def is_as_it_was(self) -> bool:
        self.card.refresh_from_db()
        first = stage_of(self.board)
        return (
            self.card.stage_id == first.pk
            and Comment.objects.count() == 0
            and CardFile.objects.filter(removed_at=None).count() == 1
            and SecretDrop.objects.get().state == DropState.PREPARED
        )


def shown_code(answer: HttpResponseBase) -> str | None:
    if isinstance(answer, HttpResponse):
        return code_of(answer)
    b"".join(answer)  # a file is closed once it is read to its end
    return None


def shown(answer: object) -> tuple[int, str]:
    body = answer.json()  # type: ignore[attr-defined]
    return answer.status_code, body.get("error", {}).get("code", "")  # type: ignore[attr-defined]


@pytest.fixture
def under_way(alice: Caller, mia: Caller) -> UnderWay:
    board = make_board(alice)
    add_board_member(alice, board=board, member=mia.member)
    card = make_card(alice, board)
    file, client = make_file(alice, card), api(mia)
    move = {"card_id": str(card.pk), "stage_id": str(stage_of(board, StageRole.DONE).pk)}
    preview = client.post("/api/v1/tools/preview_move", move, format="json").json()["untrusted_data"]
    drop = {"kind": "openai", "purpose": "ai_account", "env_var": "OPENAI_API_KEY"}
    prepared = client.post("/api/v1/tools/prepare_secret", drop, format="json").json()["untrusted_data"]
    link = client.post(f"/api/v1/files/{file.pk}/link").json()["url"]
    return UnderWay(
        alice=alice,
        mia=mia,
        board=board,
        card=card,
        file=file,
        client=client,
        page=browser(mia),
        move={**move, "preview_hash": preview["preview_hash"]},
        drop_id=prepared["drop_id"],
        link=link.removeprefix("http://127.0.0.1:8000"),
    )


def all_are(seen: dict[str, tuple[int, str]] | dict[str, tuple[int, str | None]], *wanted: object) -> bool:
    return set(seen.values()) == set(wanted)


def test_with_all_rights_every_step_is_taken(under_way: UnderWay) -> None:
    assert {code for _, code in under_way.by_token().values()} == {""}


@pytest.mark.requirement("C095")
def test_who_is_removed_takes_no_further_step(under_way: UnderWay) -> None:
    remove_member(under_way.alice, member=under_way.mia.member)

    assert all_are(under_way.by_token(), (401, "TOKEN_REVOKED"))
    assert all_are(under_way.on_the_web(), (403, "NO_WORKSPACE"))
    assert code_of(Client().get(under_way.link)) == "LINK_EXPIRED"
    assert under_way.is_as_it_was()


@pytest.mark.requirement("C095", "C098")
def test_who_becomes_a_viewer_reads_on_and_writes_no_more(under_way: UnderWay) -> None:
    change_role(under_way.alice, member=under_way.mia.member, role=Role.VIEWER)

    seen, pages = under_way.by_token(), under_way.on_the_web()
    assert (seen.pop("read"), pages.pop("read"), pages.pop("download")) == ((200, ""), (200, None), (200, None))
    assert all_are(seen, (403, "FORBIDDEN"))
    assert all_are(pages, (403, "FORBIDDEN"))
    assert under_way.is_as_it_was()


@pytest.mark.requirement("C095", "B045")
def test_who_loses_the_board_finds_nothing_of_it(under_way: UnderWay) -> None:
    remove_board_member(under_way.alice, board=under_way.board, member=under_way.mia.member)

    seen = under_way.by_token()
    filled = seen.pop("fill")  # a drop is of the workspace, not of a board
    assert filled[1] == ""
    assert all_are(seen, (404, "NOT_FOUND"))
    assert all_are(under_way.on_the_web(), (404, "NOT_FOUND"))
    assert code_of(Client().get(under_way.link)) == "LINK_EXPIRED"
    under_way.card.refresh_from_db()
    assert (under_way.card.stage_id, Comment.objects.count()) == (stage_of(under_way.board).pk, 0)


@pytest.mark.requirement("C095")
def test_a_revoked_token_ends_what_it_began_and_nothing_else(under_way: UnderWay) -> None:
    revoke_token(under_way.alice, token=Token.objects.get(member=under_way.mia.member))

    assert all_are(under_way.by_token(), (401, "TOKEN_REVOKED"))
    assert code_of(Client().get(under_way.link)) == "LINK_EXPIRED"
    assert under_way.is_as_it_was()
    assert under_way.page.get(f"/cards/{under_way.card.pk}/").status_code == 200


@pytest.mark.requirement("C095")
@pytest.mark.parametrize("role", [Role.MEMBER, Role.VIEWER])
def test_an_admin_who_is_one_no_more_has_no_invites_out(alice: Caller, amir: Caller, role: Role) -> None:
    _, path = invite_member(amir, email="nora@example.com", role=Role.MEMBER)
    change_role(alice, member=amir.member, role=role)

    refused = Client().post(path, {"name": "Nora", "password": "a loaf of rye and seeds"})

    assert (refused.status_code, code_of(refused)) == (409, "INVITE_EXPIRED")
    assert Invite.objects.get().accepted_at is None


def test_rights_come_back_with_the_next_call_too(under_way: UnderWay) -> None:
    change_role(under_way.alice, member=under_way.mia.member, role=Role.VIEWER)
    refused = under_way.call("add_comment", card_id=str(under_way.card.pk), text="Hello")
    change_role(under_way.alice, member=under_way.mia.member, role=Role.MEMBER)

    assert refused == (403, "FORBIDDEN")
    assert under_way.call("add_comment", card_id=str(under_way.card.pk), text="Hello") == (200, "")


METHODS: tuple[Callable[[APIClient, str], object], ...] = (
    lambda client, path: client.options(path),
    lambda client, path: client.head(path),
)


@pytest.mark.requirement("C098")
@pytest.mark.parametrize("ask", METHODS, ids=["OPTIONS", "HEAD"])
def test_no_method_opens_a_route_to_who_has_no_token(
    under_way: UnderWay, ask: Callable[[APIClient, str], object]
) -> None:
    paths = [f"/api/v1/cards/{under_way.card.pk}", f"/api/v1/cards/{under_way.card.pk}/trash", "/api/v1/members"]

    statuses = {ask(APIClient(), path).status_code for path in paths}  # type: ignore[attr-defined]
    for path in paths:
        ask(under_way.client, path)

    assert statuses == {401}
    assert under_way.is_as_it_was()
