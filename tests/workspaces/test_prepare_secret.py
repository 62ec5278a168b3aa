"""prepare_secret through the door: what it takes, what it gives, and what never passes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from pytest_django import Settings
from rest_framework.test import APIClient

from tests.support.cast import api, token_of
from workspaces.caller import Caller
from workspaces.models import RequestRecord, SecretDrop
from workspaces.services.capabilities import switch_capability
from workspaces.states import Preset

GIVEN = {"kind": "openai", "purpose": "ai_account", "env_var": "OPENAI_API_KEY"}


def prepare(client: APIClient, **changed: object) -> Any:
    return client.post("/api/v1/tools/prepare_secret", {**GIVEN, **changed}, format="json")


@pytest.mark.requirement("W065", "W067")
def test_it_gives_id_expiry_and_command(mia: Caller, settings: Settings) -> None:
    settings.APP_URL = "https://board.example"

    answer = prepare(api(mia)).json()["untrusted_data"]

    drop = SecretDrop.objects.get()
    assert set(answer) == {"drop_id", "expires_at", "command"}
    assert answer["drop_id"] == str(drop.pk)
    assert datetime.fromisoformat(answer["expires_at"]) == drop.expires_at
    assert answer["command"] == (
        """{ printf 'header = "Authorization: Bearer %s"\\n' "$BAKEDBRIE_TOKEN"; """
        """printf '%s' "$OPENAI_API_KEY" | od -An -v -tx1 | sed 's/.*/data-binary = "&"/'; } | """
        """curl -q -sS -X POST -H 'Content-Type: text/plain' -H 'Expect:' -K - """
        f"https://board.example/api/v1/drops/{drop.pk}"
    )


@pytest.mark.requirement("W066")
@pytest.mark.parametrize("purpose", ["ai_account", "destination", "connection", "external_job"])
def test_the_four_purposes_are_taken(mia: Caller, purpose: str) -> None:
    assert prepare(api(mia), purpose=purpose).status_code == 200
    assert SecretDrop.objects.get().purpose == purpose


@pytest.mark.requirement("W066", "C097")
@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"purpose": "anything"}, "INVALID_INPUT"),
        ({"purpose": None}, "INVALID_INPUT"),
        ({"kind": ""}, "INVALID_INPUT"),
        ({"kind": "Open AI"}, "INVALID_INPUT"),
        ({"value": "sk-canary"}, "INVALID_INPUT"),
        ({"env_var": "PATH; rm -rf ~"}, "ENV_VAR_INVALID"),
        ({"env_var": "OPENAI_API_KEY\nX=1"}, "ENV_VAR_INVALID"),
        ({"env_var": "BAKEDBRIE_TOKEN"}, "ENV_VAR_INVALID"),
    ],
)
def test_anything_else_is_refused(mia: Caller, changed: dict[str, object], code: str) -> None:
    response = prepare(api(mia), **changed)

    assert (response.status_code, response.json()["error"]["code"]) == (400, code)
    assert SecretDrop.objects.count() == 0


@pytest.mark.requirement("W069")
def test_a_value_given_by_mistake_is_neither_echoed_nor_kept(mia: Caller, caplog: pytest.LogCaptureFixture) -> None:
    response = prepare(api(mia), value="sk-canary-4f1e", request_id="r-1")

    assert "sk-canary-4f1e" not in response.content.decode() + caplog.text
    assert RequestRecord.objects.count() == 0


@pytest.mark.requirement("W030", "W053")
def test_it_needs_the_capability(alice: Caller, mia: Caller) -> None:
    switch_capability(alice, name="secrets", is_on=False)

    response = prepare(api(mia))

    assert (response.status_code, response.json()["error"]["code"]) == (403, "CAPABILITY_OFF")


@pytest.mark.requirement("W009", "W010", "C098")
@pytest.mark.parametrize(
    ("preset", "code"), [(Preset.READ_ONLY, "TOKEN_READ_ONLY"), (Preset.RUNNER, "TOKEN_RUNNER_ONLY")]
)
def test_lesser_tokens_may_not(mia: Caller, preset: Preset, code: str) -> None:
    response = prepare(api(mia, preset))

    assert (response.status_code, response.json()["error"]["code"]) == (403, code)
    assert SecretDrop.objects.count() == 0


@pytest.mark.requirement("W059")
def test_repeated_with_one_id_it_prepares_one_drop(mia: Caller) -> None:
    client = APIClient(headers={"Authorization": f"Bearer {token_of(mia)}"})

    first, second = (prepare(client, request_id="r-1").json() for _ in range(2))

    assert first == second
    assert SecretDrop.objects.count() == 1
