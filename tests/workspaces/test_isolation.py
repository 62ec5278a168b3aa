"""Everything belongs to one workspace, and no list shows what is another's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from agents.models import AiAccount
from boards.models import Board
from tests.factories.workflows import make_line
from tests.support.cast import api, token_of
from tests.support.fake_provider import FakeProvider
from workspaces.caller import Caller
from workspaces.models import Member, Token

pytestmark = pytest.mark.django_db


@pytest.fixture
def provider(settings: Settings) -> Iterator[FakeProvider]:
    with FakeProvider() as fake:
        settings.OUTBOUND_LOOPBACK = [fake.pair]
        yield fake


@pytest.mark.requirement("W001", "W002")
def test_members_boards_accounts_and_tokens_are_of_one_workspace_and_listed_there_alone(
    alice: Caller, charlie: Caller, provider: FakeProvider
) -> None:
    for caller in (alice, charlie):
        make_line(caller, provider)
        token_of(caller)

    for model in (Member, Board, AiAccount, Token):
        owners = model._default_manager.values_list("workspace", flat=True)
        assert set(owners) == {alice.workspace.pk, charlie.workspace.pk}
    for caller, other in ((alice, charlie), (charlie, alice)):
        client = api(caller)
        assert listed(client, "members") == [caller.member.pk]
        assert listed(client, "boards") == ids_of(Board, caller)
        assert listed(client, "tokens") == ids_of(Token, caller)
        tool = client.post("/api/v1/tools/list_ai_accounts", {}, format="json").json()["untrusted_data"]
        assert [account["id"] for account in tool["ai_accounts"]] == [str(pk) for pk in ids_of(AiAccount, caller)]
        cards = client.get("/api/v1/cards").json()["cards"]
        assert {card["board_id"] for card in cards} == {str(pk) for pk in ids_of(Board, caller)}
        assert str(other.workspace.pk) not in str([tool, cards])


def listed(client: Any, name: str) -> list[object]:
    return [type_of(row["id"]) for row in client.get(f"/api/v1/{name}").json()[name]]


def type_of(text: str) -> object:
    return Board._meta.pk.to_python(text)


def ids_of(model: Any, caller: Caller) -> list[object]:
    return list(model.objects.filter(workspace=caller.workspace).order_by("-pk").values_list("pk", flat=True))
