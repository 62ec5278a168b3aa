"""Members and tokens over REST: in pages, at one cost, and to those alone who may see them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from bakedbrie.lib import clock
from tests.factories.workspaces import make_member
from tests.support.cast import api, token_of
from workspaces.caller import Caller
from workspaces.models import Token
from workspaces.services.members import remove_member
from workspaces.services.tokens import mint_token, revoke_token
from workspaces.states import Preset

pytestmark = pytest.mark.django_db


def test_members_are_listed_page_after_page(alice: Caller, mia: Caller, vic: Caller, charlie: Caller) -> None:
    rex = make_member(alice, "Rex Romero")
    remove_member(alice, member=rex.member)
    client = api(vic)

    first = client.get("/api/v1/members", {"limit": "2"}).json()
    second = client.get("/api/v1/members", {"limit": "2", "cursor": first["next_cursor"]}).json()

    names = [(member["name"], member["role"]) for member in first["members"] + second["members"]]
    assert names == [("Alice Archer", "owner"), ("Mia Moreau", "member"), ("Vic Varga", "viewer")]
    assert (first["members"][1]["id"], first["members"][1]["owner_id"]) == (str(mia.member.pk), str(mia.actor.pk))
    assert second["next_cursor"] is None
    assert api(alice, Preset.RUNNER).get("/api/v1/members").json()["error"]["code"] == "TOKEN_RUNNER_ONLY"


def test_tokens_are_listed_newest_first_page_after_page(mia: Caller, alice: Caller) -> None:
    token_of(alice)
    for label in ("one", "two", "three"):
        mint_token(mia, label=label, preset=Preset.READ_ONLY)
    client = api(mia)

    first = client.get("/api/v1/tokens", {"limit": "3"}).json()
    second = client.get("/api/v1/tokens", {"limit": "3", "cursor": first["next_cursor"]}).json()
    broken = client.get("/api/v1/tokens", {"cursor": "broken"})

    assert [token["label"] for token in first["tokens"]] == ["full_control of Mia Moreau", "three", "two"]
    assert [token["label"] for token in second["tokens"]] == ["one"]
    assert second["next_cursor"] is None
    assert broken.json()["error"]["fields"].keys() == {"cursor"}


def test_a_token_shows_when_it_was_used_when_it_ends_and_whether_it_counts(mia: Caller) -> None:
    ended, _ = mint_token(mia, label="ended", preset=Preset.READ_ONLY, expires_at=clock.now() + timedelta(days=1))
    Token.objects.filter(pk=ended.pk).update(expires_at=clock.now())
    taken, _ = mint_token(mia, label="taken", preset=Preset.READ_ONLY)
    revoke_token(mia, token=taken)

    rows = api(mia).get("/api/v1/tokens").json()["tokens"]

    assert [(row["label"], row["state"]) for row in rows[1:]] == [("taken", "revoked"), ("ended", "expired")]
    assert (rows[0]["state"], rows[0]["expires_at"]) == ("live", None)
    assert rows[0]["last_used_at"] is not None
    assert rows[1]["last_used_at"] is None


@pytest.mark.parametrize("path", ["/api/v1/members", "/api/v1/tokens"])
def test_a_longer_list_costs_no_more_queries(alice: Caller, path: str) -> None:
    client = api(alice)

    def cost() -> int:
        with CaptureQueriesContext(connection) as seen:
            assert client.get(path).status_code == 200
        return len(seen)

    client.get("/api/v1/token")
    little = cost()
    for number in range(5):
        make_member(alice, f"Member {number}")
        token_of(alice)

    assert cost() == little == 2
