"""whoami: the first call of a session."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_django.fixtures import Settings

from tests.factories.workspaces import caller_of
from tests.support.cast import api
from workspaces import capabilities
from workspaces.caller import Caller
from workspaces.models import Token, Workspace
from workspaces.roles import Role
from workspaces.services.capabilities import switch_capability
from workspaces.services.dispatch import pause_dispatch
from workspaces.services.members import add_member
from workspaces.services.room import take_room
from workspaces.states import Preset

pytestmark = pytest.mark.django_db


def whoami(caller: Caller, preset: Preset = Preset.FULL_CONTROL) -> dict[str, Any]:
    response = api(caller, preset).post("/api/v1/tools/whoami", {}, format="json")
    assert response.status_code == 200
    answer: dict[str, Any] = response.json()["untrusted_data"]
    return answer


@pytest.mark.requirement("W015")
def test_it_needs_control_and_nothing_else(alice: Caller) -> None:
    client = api(alice)
    statuses = {}
    for names in (["control"], [name for name in capabilities.TEXTS if name != "control"]):
        Workspace.objects.filter(pk=alice.workspace.pk).update(capabilities=names)
        answer = client.post("/api/v1/tools/whoami", {}, format="json")
        statuses["control" in names] = (answer.status_code, answer.json().get("error", {}).get("code"))

    assert statuses == {True: (200, None), False: (403, "CAPABILITY_OFF")}


@pytest.mark.requirement("W001", "W003")
def test_a_token_of_a_person_in_two_workspaces_names_its_own(alice: Caller, charlie: Caller) -> None:
    member = add_member(charlie, user=alice.member.user, role=Role.VIEWER)

    hers, there = whoami(alice), whoami(caller_of(member))

    assert (hers["workspace"]["name"], hers["user"]["role"]) == ("Alice's Bakery", "owner")
    assert (there["workspace"]["name"], there["user"]["role"]) == ("Charlie's Cheese", "viewer")
    assert hers["user"]["id"] == there["user"]["id"]


@pytest.mark.requirement("W003", "W004", "W016", "W017")
def test_it_names_workspace_user_and_role(alice: Caller, vic: Caller) -> None:
    answer = whoami(vic)

    assert answer["workspace"] == {"id": str(alice.workspace.pk), "name": "Alice's Bakery"}
    assert answer["user"] == {
        "id": str(vic.member.user_id),
        "name": "Vic Varga",
        "role": "viewer",
        "owner_id": str(vic.actor.pk),
    }


@pytest.mark.requirement("W008", "W018")
@pytest.mark.parametrize("preset", list(Preset))
def test_it_names_the_token_and_its_preset(alice: Caller, preset: Preset) -> None:
    token = whoami(alice, preset)["token"]

    assert token["id"] == str(Token.objects.get().pk)
    assert token["preset"] == preset.value
    assert token["label"] == f"{preset.value} of Alice Archer"
    assert set(token) == {"id", "label", "preset"}


@pytest.mark.requirement("W019", "W048", "W050")
def test_it_gives_every_capability_as_it_counts(alice: Caller) -> None:
    switch_capability(alice, name="connections_oauth", is_on=True)
    switch_capability(alice, name="connection_webhooks", is_on=True)

    switches = whoami(alice)["capabilities"]

    assert len(switches) == 24
    assert {name for name, is_on in switches.items() if is_on} == set(capabilities.DEFAULTS)


@pytest.mark.requirement("W013", "W020")
def test_it_tells_that_work_is_paused(alice: Caller) -> None:
    before = whoami(alice)["dispatch_paused"]
    pause_dispatch(alice, reason="Looking into something")

    assert (before, whoami(alice)["dispatch_paused"]) == (False, True)


@pytest.mark.requirement("W024")
def test_it_gives_the_address_of_the_web_app(alice: Caller, settings: Settings) -> None:
    settings.APP_URL = "https://board.example.com"

    assert whoami(alice)["app_url"] == "https://board.example.com"


@pytest.mark.requirement("V028")
def test_what_is_stored_and_what_may_be_is_told_while_our_storage_is_on(alice: Caller, settings: Settings) -> None:
    settings.STORAGE_QUOTA_BYTES = 500
    take_room(alice.workspace.pk, 120)
    before = whoami(alice)
    switch_capability(alice, name="hosted_work_folder", is_on=True)

    rest = api(alice).get("/api/v1/whoami").json()

    assert "storage" not in before
    assert whoami(alice)["storage"] == rest["storage"] == {"bytes_used": 120, "bytes_allowed": 500}
    assert "storage" not in whoami(alice, Preset.RUNNER)


def test_runners_are_named_only_while_the_capability_is_on(alice: Caller) -> None:
    before = "runners" in whoami(alice)
    switch_capability(alice, name="runner", is_on=True)

    assert (before, whoami(alice)["runners"]) == (False, [])
