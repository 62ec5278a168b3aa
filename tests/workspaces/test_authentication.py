"""The REST door: which headers carry a token, what one costs, and when one stops to count."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from bakedbrie.lib import clock
from tests.support.cast import api, token_of
from workspaces.caller import Caller
from workspaces.models import Token
from workspaces.roles import Role
from workspaces.services.members import change_role, remove_member
from workspaces.services.tokens import mint_token, revoke_token
from workspaces.services.users import set_active
from workspaces.states import Preset

TOKENS = "/api/v1/tokens"


def get(raw: str) -> tuple[int, str | None]:
    response = APIClient().get(TOKENS, headers={"Authorization": f"Bearer {raw}"})
    return response.status_code, response.json().get("error", {}).get("code")


@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
def test_a_token_is_taken_from_both_headers(mia: Caller, scheme: str) -> None:
    raw = token_of(mia)

    by_bearer = APIClient().get(TOKENS, headers={"Authorization": f"{scheme} {raw}"})
    by_key = APIClient().get(TOKENS, headers={"X-API-Key": raw})

    assert (by_bearer.status_code, by_key.status_code) == (200, 200)
    assert by_bearer.json()["tokens"] == by_key.json()["tokens"]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": ""},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer bb_wrong"},
        {"Authorization": "Basic bWlhOm1pYQ=="},
        {"Authorization": "Bearer " + "x" * 100_000},
        {"X-API-Key": ""},
        {"X-API-Key": "bb_\xff"},
    ],
)
def test_everything_else_is_no_caller(db: None, headers: dict[str, str]) -> None:
    response = APIClient().get(TOKENS, headers=headers)

    assert response.status_code == 401
    assert response["WWW-Authenticate"].startswith('Bearer realm="BakedBrie"')
    assert response.json()["error"]["code"] == "UNAUTHENTICATED"


@pytest.mark.parametrize(
    ("headers", "challenge"),
    [
        ({}, 'Bearer realm="BakedBrie"'),
        ({"Authorization": "Bearer bb_wrong"}, 'Bearer realm="BakedBrie", error="invalid_token"'),
        ({"X-API-Key": "bb_wrong"}, 'Bearer realm="BakedBrie", error="invalid_token"'),
    ],
)
def test_only_who_sent_a_token_is_told_that_it_is_wrong(db: None, headers: dict[str, str], challenge: str) -> None:
    assert APIClient().get(TOKENS, headers=headers)["WWW-Authenticate"] == challenge


def test_two_headers_may_carry_the_same_token_and_never_two(mia: Caller, vic: Caller) -> None:
    of_mia, of_vic = token_of(mia), token_of(vic)

    same = APIClient().get(TOKENS, headers={"Authorization": f"Bearer {of_mia}", "X-API-Key": of_mia})
    two = APIClient().get(TOKENS, headers={"Authorization": f"Bearer {of_mia}", "X-API-Key": of_vic})

    assert same.status_code == 200
    assert (two.status_code, two.json()["error"]["code"]) == (401, "UNAUTHENTICATED")
    assert two.json()["error"]["message"] == "Authorization and X-API-Key carry different tokens."


def test_a_proxy_may_ask_for_a_password_of_its_own(mia: Caller) -> None:
    headers = {"Authorization": "Basic cHJveHk6cHJveHk=", "X-API-Key": token_of(mia)}

    assert APIClient().get(TOKENS, headers=headers).status_code == 200


def test_authentication_is_one_query(mia: Caller) -> None:
    client = api(mia)
    client.get("/api/v1/token")

    with CaptureQueriesContext(connection) as queries:
        response = client.get("/api/v1/token")

    assert response.status_code == 204
    assert len(queries) == 1


def test_the_first_use_in_a_minute_adds_one_update(mia: Caller) -> None:
    client = api(mia)

    with CaptureQueriesContext(connection) as queries:
        client.get("/api/v1/token")
        client.get("/api/v1/token")

    assert [query["sql"].split()[0] for query in queries] == ["SELECT", "UPDATE", "SELECT"]


def test_revocation_counts_from_the_next_call(mia: Caller) -> None:
    token, raw = mint_token(mia, label="laptop", preset=Preset.FULL_CONTROL)
    before = get(raw)

    revoke_token(mia, token=token)

    assert (before, get(raw)) == ((200, None), (401, "TOKEN_REVOKED"))


def test_removal_and_switching_off_count_from_the_next_call(alice: Caller, mia: Caller, vic: Caller) -> None:
    of_mia, of_vic = token_of(mia), token_of(vic)

    remove_member(alice, member=mia.member)
    set_active(vic.member.user, is_active=False)

    assert (get(of_mia), get(of_vic)) == ((401, "TOKEN_REVOKED"), (401, "TOKEN_REVOKED"))


def test_expiry_counts_from_its_instant(mia: Caller) -> None:
    expires_at = clock.now() + timedelta(hours=1)
    _, raw = mint_token(mia, label="short", preset=Preset.FULL_CONTROL, expires_at=expires_at)

    with time_machine.travel(expires_at - timedelta(seconds=1), tick=False):
        before = get(raw)
    with time_machine.travel(expires_at, tick=False):
        after = get(raw)

    assert (before, after) == ((200, None), (401, "TOKEN_REVOKED"))


def test_a_lower_role_counts_from_the_next_call(alice: Caller, mia: Caller) -> None:
    client = api(mia)
    change_role(alice, member=mia.member, role=Role.VIEWER)

    arguments = {"kind": "x", "purpose": "connection", "env_var": "X"}
    response = client.post("/api/v1/tools/prepare_secret", arguments, format="json")

    assert (response.status_code, response.json()["error"]["code"]) == (403, "FORBIDDEN")


@pytest.mark.requirement("W010", "C098")
def test_a_runner_token_reads_no_content(mia: Caller) -> None:
    response = api(mia, Preset.RUNNER).get(TOKENS)

    assert (response.status_code, response.json()["error"]["code"]) == (403, "TOKEN_RUNNER_ONLY")


@pytest.mark.requirement("W002", "C092")
def test_foreign_and_absent_tokens_answer_alike(mia: Caller, vic: Caller, charlie: Caller) -> None:
    client = api(mia)
    foreign, _ = mint_token(charlie, label="his", preset=Preset.FULL_CONTROL)
    other, _ = mint_token(vic, label="hers", preset=Preset.FULL_CONTROL)

    answers = [
        client.post(f"{TOKENS}/{token_id}/revoke", headers={"X-Request-Id": f"r-{number}"})
        for number, token_id in enumerate([foreign.pk, other.pk, mia.workspace.pk, "nonsense"])
    ]

    assert [answer.status_code for answer in answers] == [404, 404, 404, 404]
    assert len({str(answer.json()["error"]) for answer in answers}) == 1
    assert Token.objects.filter(revoked_at=None).count() == 3


@pytest.mark.requirement("C098")
@pytest.mark.parametrize("header", ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"])
def test_a_method_cannot_be_overridden(mia: Caller, header: str) -> None:
    token, _ = mint_token(mia, label="laptop", preset=Preset.FULL_CONTROL)
    address = f"{TOKENS}/{token.pk}/revoke"

    response = api(mia, Preset.READ_ONLY).get(f"{address}?_method=POST", headers={header: "POST"})

    assert response.status_code == 405
    assert Token.objects.get(pk=token.pk).revoked_at is None


def test_a_repeated_revocation_answers_the_same(mia: Caller) -> None:
    token, _ = mint_token(mia, label="laptop", preset=Preset.FULL_CONTROL)
    client = api(mia)

    first, second = (
        client.post(f"{TOKENS}/{token.pk}/revoke", headers={"X-Request-Id": "r-1"}).json() for _ in range(2)
    )

    assert first == second
    assert first["token"]["id"] == str(token.pk)
    assert set(first["token"]) == {
        "id", "label", "preset", "hint", "created_at", "expires_at", "last_used_at", "revoked_at",
        "state",
    }  # fmt: skip
