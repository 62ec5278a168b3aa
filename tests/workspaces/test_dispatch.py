"""Emergency stop and resume, through the tools."""

from __future__ import annotations

from typing import Any

import pytest

from bakedbrie.lib.jobs import Job
from tests.support.cast import api
from tests.support.jobs import drain_jobs
from workspaces.caller import Caller
from workspaces.models import AuditEntry, Workspace
from workspaces.services.capabilities import switch_capability
from workspaces.states import Preset

PAUSE, RESUME = "pause_workspace_dispatch", "resume_workspace_dispatch"


def call(caller: Caller, name: str, preset: Preset = Preset.FULL_CONTROL, **arguments: object) -> tuple[int, Any]:
    response = api(caller, preset).post(f"/api/v1/tools/{name}", arguments, format="json")
    body = response.json()
    return response.status_code, body.get("untrusted_data") or body["error"]["code"]


def is_paused(caller: Caller) -> bool:
    return Workspace.objects.get(pk=caller.workspace.pk).dispatch_paused


@pytest.mark.requirement("W005", "W012")
def test_owners_and_admins_pause_and_resume(alice: Caller, amir: Caller, charlie: Caller) -> None:
    paused = call(amir, PAUSE, reason="The oven burns")
    was_paused = is_paused(alice)
    resumed = call(alice, RESUME)

    assert paused == (200, {"dispatch_paused": True, "reason": "The oven burns"})
    assert resumed == (200, {"dispatch_paused": False, "reason": ""})
    assert (was_paused, is_paused(alice), is_paused(charlie)) == (True, False, False)


@pytest.mark.requirement("W013")
def test_whoami_tells_that_work_is_paused(alice: Caller, vic: Caller) -> None:
    call(alice, PAUSE)

    assert call(vic, "whoami")[1]["dispatch_paused"] is True


@pytest.mark.requirement("W005", "C098")
@pytest.mark.parametrize("name", [PAUSE, RESUME])
def test_nobody_else_does(alice: Caller, mia: Caller, vic: Caller, name: str) -> None:
    Workspace.objects.filter(pk=alice.workspace.pk).update(dispatch_paused=name == RESUME)
    before = is_paused(alice)

    refused = [
        call(mia, name),
        call(vic, name),
        call(alice, name, Preset.READ_ONLY),
        call(alice, name, Preset.RUNNER),
    ]

    assert refused == [(403, "FORBIDDEN"), (403, "FORBIDDEN"), (403, "TOKEN_READ_ONLY"), (403, "TOKEN_RUNNER_ONLY")]
    assert is_paused(alice) is before
    assert not AuditEntry.objects.filter(verb__startswith="dispatch.").exists()


@pytest.mark.requirement("W036", "W053")
def test_with_the_capability_off_both_tools_are_refused(alice: Caller) -> None:
    switch_capability(alice, name="dispatch", is_on=False)

    assert [call(alice, PAUSE), call(alice, RESUME)] == [(403, "CAPABILITY_OFF")] * 2


@pytest.mark.requirement("W014")
def test_resuming_wakes_what_waited(alice: Caller) -> None:
    call(alice, PAUSE)
    drain_jobs()

    call(alice, RESUME)

    assert drain_jobs() == [(Job.WAKE_TURNS.value, (str(alice.workspace.pk),))]


def test_pausing_twice_keeps_the_first_reason_and_is_audited_once(alice: Caller) -> None:
    call(alice, PAUSE, reason="first")
    call(alice, PAUSE, reason="second")

    assert Workspace.objects.get(pk=alice.workspace.pk).dispatch_reason == "first"
    assert list(AuditEntry.objects.filter(verb="dispatch.paused").values_list("data", flat=True)) == [
        {"reason": "first"}
    ]
