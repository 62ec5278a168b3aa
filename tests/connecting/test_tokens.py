"""What an assistant gets for its code, how it renews it, and when all of it ends."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
import time_machine
from django.test import Client
from oauth2_provider.models import AccessToken, RefreshToken
from pytest_django.fixtures import Settings
from rest_framework.test import APIClient

from bakedbrie.lib import clock
from bakedbrie.lib.refusals import Refused
from tests.connecting.asking import BACK, TOKEN, Assistant, answered, code_for, connected, registered, told
from tests.support.races import at_once
from workspaces.access import caller_from_token, require_writer
from workspaces.caller import Caller
from workspaces.models import AuditEntry, Token
from workspaces.services.members import remove_member
from workspaces.services.tokens import revoke_token
from workspaces.services.users import set_active

pytestmark = pytest.mark.django_db


def state_of(raw: str) -> str:
    """Say what a text counts as, at the next call."""
    try:
        caller = caller_from_token(raw)
    except Refused as refused:
        return refused.code
    return caller.preset.value


def error_of(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json().get("error", "")


@pytest.mark.requirement("W003", "W008")
@pytest.mark.parametrize("preset", ["read_only", "full_control"])
def test_a_code_becomes_a_token_of_the_person(mia: Caller, settings: Settings, preset: str) -> None:
    tokens = connected(mia, registered(), preset=preset)

    caller = caller_from_token(tokens["access_token"])
    token = Token.objects.get()
    assert (caller.member, caller.preset, caller.token) == (mia.member, preset, token)
    assert (token.kind, token.label, token.host) == ("connected", "Claude", "127.0.0.1")
    assert token.audience == f"{settings.APP_URL}/mcp"
    assert (tokens["token_type"], tokens["scope"], tokens["expires_in"]) == ("Bearer", "mcp", 3600)
    entry = AuditEntry.objects.get(verb="assistant.connected")
    assert (entry.actor, entry.data["preset"]) == (mia.actor, preset)


@pytest.mark.requirement("W009")
def test_an_assistant_that_may_only_read_is_told_to_have_itself_connected_again(mia: Caller) -> None:
    caller = caller_from_token(connected(mia, registered())["access_token"])

    with pytest.raises(Refused) as refused:
        require_writer(caller)

    assert refused.value.code == "TOKEN_READ_ONLY"
    assert "disconnect this assistant" in refused.value.fix
    assert "mint" not in refused.value.fix


def test_nothing_that_opens_a_door_is_kept_as_text(mia: Caller) -> None:
    tokens = connected(mia, registered())

    kept = [*AccessToken.objects.values_list("token", flat=True), *RefreshToken.objects.values_list("token", flat=True)]
    assert kept == ["", ""]
    assert not Token.objects.filter(digest__in=[tokens["access_token"], tokens["refresh_token"]]).exists()
    assert state_of(tokens["refresh_token"]) == "UNAUTHENTICATED"


def test_the_token_is_for_mcp_alone(mia: Caller) -> None:
    tokens = connected(mia, registered())

    answer = APIClient().get("/api/v1/token", headers={"Authorization": f"Bearer {tokens['access_token']}"})

    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "UNAUTHENTICATED")


def test_a_token_of_another_address_is_none_of_ours(mia: Caller, settings: Settings) -> None:
    tokens = connected(mia, registered())
    settings.APP_URL = f"{settings.APP_URL}/moved"

    assert state_of(tokens["access_token"]) == "TOKEN_REVOKED"


def test_a_code_works_once_and_the_second_time_ends_what_came_of_it(mia: Caller) -> None:
    assistant = registered()
    code = code_for(mia, assistant)
    tokens = assistant.exchange(code).json()

    again = assistant.exchange(code)

    assert error_of(again) == (400, "invalid_grant")
    assert state_of(tokens["access_token"]) == "TOKEN_REVOKED"
    assert error_of(assistant.refresh(tokens["refresh_token"])) == (400, "invalid_grant")
    assert AuditEntry.objects.get(verb="assistant.ended").data["reason"] == "code_reused"


def test_a_code_is_good_for_a_minute(mia: Caller) -> None:
    assistant = registered()
    code = code_for(mia, assistant)

    with time_machine.travel(clock.now() + timedelta(seconds=61)):
        late = assistant.exchange(code)

    assert error_of(late) == (400, "invalid_grant")
    assert not Token.objects.exists()


@pytest.mark.parametrize(
    ("other", "error"),
    [
        ({"code_verifier": "w" * 43}, (400, "invalid_grant")),
        ({"code_verifier": None}, (400, "invalid_request")),
        ({"redirect_uri": "http://127.0.0.1:9/callback"}, (400, "invalid_request")),
        ({"redirect_uri": "https://evil.example/"}, (400, "invalid_request")),
        ({"resource": "https://other.example/mcp"}, (400, "invalid_target")),
        ({"client_id": "absent"}, (401, "invalid_client")),
        ({"client_id": None}, (401, "invalid_client")),
        ({"client_secret": "guess"}, (401, "invalid_client")),
        ({"code": "c" * 3000}, (400, "invalid_request")),
        ({"code": "a\x00b"}, (400, "invalid_request")),
        ({"code": "made up"}, (400, "invalid_grant")),
        ({"code": None}, (400, "invalid_request")),
        ({"grant_type": "password", "username": "a", "password": "b"}, (400, "unsupported_grant_type")),
        ({"grant_type": "client_credentials"}, (400, "unsupported_grant_type")),
        ({"grant_type": None}, (400, "unsupported_grant_type")),
    ],
)
def test_a_wrong_exchange_is_refused_in_the_words_of_oauth(
    mia: Caller, other: dict[str, str | None], error: tuple[int, str]
) -> None:
    assistant = registered()
    code = code_for(mia, assistant)

    answer = assistant.exchange(other.pop("code", code) if "code" in other else code, **other)  # type: ignore[arg-type]

    assert error_of(answer) == error
    assert answer["Cache-Control"] == "no-store"
    assert not Token.objects.exists()


def test_a_code_of_one_assistant_is_nothing_to_another(mia: Caller) -> None:
    first, second = registered(), registered(name="Other")
    code = code_for(mia, first)

    assert error_of(second.exchange(code)) == (400, "invalid_grant")
    assert first.exchange(code).status_code == 200


@pytest.mark.parametrize("name", ["code", "client_id", "grant_type", "redirect_uri", "code_verifier"])
def test_no_field_comes_twice(mia: Caller, name: str) -> None:
    assistant = registered()
    body = f"grant_type=authorization_code&client_id={assistant.client_id}&code=x&redirect_uri={BACK}&code_verifier=v"

    answer = Client().post(TOKEN, f"{body}&{name}=x", content_type="application/x-www-form-urlencoded")

    assert error_of(answer) == (400, "invalid_request")


@pytest.mark.parametrize("kind", ["application/json", "multipart/form-data", "text/plain", ""])
def test_only_a_form_is_taken(db: None, kind: str) -> None:
    answer = Client().post(TOKEN, b'{"grant_type": "authorization_code"}', content_type=kind)

    assert error_of(answer) == (400, "invalid_request")


@pytest.mark.parametrize("body", [b"\xff\xfe=\xff", b"%zz=%zz", b"=&=&&&", b"a" * 40_000, b"grant_type=%00"])
def test_a_rough_body_is_a_refusal(db: None, body: bytes) -> None:
    answer = Client().post(TOKEN, body, content_type="application/x-www-form-urlencoded")

    assert answer.status_code in {400, 401, 413}
    assert answer.json()["error"]


def test_a_renewal_gives_new_keys_and_the_old_access_ends(mia: Caller) -> None:
    assistant = registered()
    first = connected(mia, assistant)

    second = assistant.refresh(first["refresh_token"]).json()

    assert len({first["access_token"], second["access_token"], first["refresh_token"], second["refresh_token"]}) == 4
    assert [state_of(tokens["access_token"]) for tokens in (first, second)] == ["UNAUTHENTICATED", "read_only"]
    assert Token.objects.count() == 1


def test_an_old_refresh_token_ends_all_that_came_of_it(mia: Caller) -> None:
    assistant = registered()
    first = connected(mia, assistant)
    second = assistant.refresh(first["refresh_token"]).json()

    reused = assistant.refresh(first["refresh_token"])

    assert error_of(reused) == (400, "invalid_grant")
    assert state_of(second["access_token"]) == "TOKEN_REVOKED"
    assert error_of(assistant.refresh(second["refresh_token"])) == (400, "invalid_grant")
    assert AuditEntry.objects.get(verb="assistant.ended").data["reason"] == "refresh_reused"


def test_a_refresh_token_of_one_assistant_is_nothing_to_another(mia: Caller) -> None:
    first, second = registered(), registered(name="Other")
    tokens = connected(mia, first)

    assert error_of(second.refresh(tokens["refresh_token"])) == (400, "invalid_grant")
    assert first.refresh(tokens["refresh_token"]).status_code == 200


def test_access_ends_after_an_hour_and_can_be_renewed_for_three_months(mia: Caller) -> None:
    assistant = registered()
    tokens = connected(mia, assistant)

    with time_machine.travel(clock.now() + timedelta(hours=1, seconds=1)):
        late = state_of(tokens["access_token"])
    with time_machine.travel(clock.now() + timedelta(days=89)):
        renewed = assistant.refresh(tokens["refresh_token"])
    with time_machine.travel(clock.now() + timedelta(days=89 + 91)):
        too_late = assistant.refresh(renewed.json()["refresh_token"])

    assert (late, renewed.status_code) == ("TOKEN_REVOKED", 200)
    assert error_of(too_late) == (400, "invalid_grant")


def test_what_is_revoked_in_settings_is_renewed_no_more(mia: Caller) -> None:
    assistant = registered()
    tokens = connected(mia, assistant)

    revoke_token(mia, token=Token.objects.get())

    assert state_of(tokens["access_token"]) == "TOKEN_REVOKED"
    assert error_of(assistant.refresh(tokens["refresh_token"])) == (400, "invalid_grant")


@pytest.mark.parametrize("way", ["removed", "switched off"])
def test_who_is_out_takes_their_assistants_along(alice: Caller, mia: Caller, way: str) -> None:
    assistant = registered()
    tokens = connected(mia, assistant)

    if way == "removed":
        remove_member(alice, member=mia.member)
    else:
        set_active(mia.member.user, is_active=False)

    assert state_of(tokens["access_token"]) == "TOKEN_REVOKED"
    assert error_of(assistant.refresh(tokens["refresh_token"])) == (400, "invalid_grant")


@pytest.mark.parametrize("which", ["access_token", "refresh_token"])
def test_an_assistant_gives_back_what_it_has(mia: Caller, which: str) -> None:
    assistant = registered()
    tokens = connected(mia, assistant)

    answers = [assistant.post("/oauth/revoke/", token=tokens[which], client_id=assistant.client_id) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert state_of(tokens["access_token"]) == "TOKEN_REVOKED"
    assert AuditEntry.objects.get(verb="assistant.ended").data["reason"] == "given_back"


def test_nobody_gives_back_what_is_anothers(mia: Caller) -> None:
    first, second = registered(), registered(name="Other")
    tokens = connected(mia, first)

    answer = second.post("/oauth/revoke/", token=tokens["access_token"], client_id=second.client_id)

    assert answer.status_code == 200
    assert state_of(tokens["access_token"]) == "read_only"


@pytest.mark.django_db(transaction=True)
def test_of_two_exchanges_at_once_one_gets_a_token_and_the_reuse_ends_it(mia: Caller) -> None:
    assistant = registered()
    code = code_for(mia, assistant)

    answers: list[Any] = at_once(*(partial(Assistant(client_id=assistant.client_id).exchange, code) for _ in range(2)))

    assert sorted(answer.status_code for answer in answers) == [200, 400]
    assert Token.objects.get().revoked_at is not None


def test_a_server_that_is_mixed_up_is_noticed_by_its_name(mia: Caller, settings: Settings) -> None:
    """RFC 9207: also where the client's own address names an issuer, ours is the only one."""
    assistant = registered("http://127.0.0.1:4711/callback?iss=https%3A%2F%2Fother.example")
    query = assistant.query(redirect_uri="http://127.0.0.1:4711/callback?iss=https%3A%2F%2Fother.example")

    location = answered(mia, query)["Location"]

    assert location.count("iss=") == 1
    assert told(answered(mia, query))["iss"] == settings.APP_URL
