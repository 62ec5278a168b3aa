"""The 24 capabilities: who switches them, what a new workspace has, and what counts as off."""

from __future__ import annotations

import pytest

from bakedbrie.lib.refusals import Refused
from tests.factories.workspaces import caller_of, token_caller
from tests.support.cast import token_of
from workspaces import capabilities
from workspaces.access import require_capability
from workspaces.caller import Caller
from workspaces.models import AuditEntry, Workspace
from workspaces.selectors import capability_switches
from workspaces.services.capabilities import switch_capability

DEFAULTS = {"control", "agents", "triggers", "secrets", "ai_accounts", "media", "dispatch", "setup", "hosted_ai"}


def on(caller: Caller) -> set[str]:
    return {name for name, is_on in capability_switches(caller_of(caller.member)).items() if is_on}


@pytest.mark.requirement("W019")
def test_all_24_are_told_and_a_new_workspace_has_the_nine_defaults(alice: Caller) -> None:
    switches = capability_switches(alice)

    assert len(switches) == 24
    assert {type(is_on) for is_on in switches.values()} == {bool}
    assert on(alice) == DEFAULTS


@pytest.mark.requirement("W026")
@pytest.mark.parametrize("name", list(capabilities.TEXTS))
def test_each_can_be_switched_in_one_workspace_alone(alice: Caller, charlie: Caller, name: str) -> None:
    is_on = name not in DEFAULTS

    switch_capability(alice, name=name, is_on=is_on)

    assert (name in Workspace.objects.get(pk=alice.workspace.pk).capabilities) == is_on
    assert on(charlie) == DEFAULTS


@pytest.mark.requirement("W048", "W050")
def test_one_whose_needs_are_off_may_be_switched_on_and_counts_as_off_until_then(alice: Caller) -> None:
    switch_capability(alice, name="connection_webhooks", is_on=True)
    switch_capability(alice, name="connections_oauth", is_on=True)
    alone = on(alice)
    switch_capability(alice, name="connections", is_on=True)
    together = on(alice)
    switch_capability(alice, name="connections_oauth", is_on=False)

    assert alone == DEFAULTS
    assert together == DEFAULTS | {"connections", "connections_oauth", "connection_webhooks"}
    assert on(alice) == DEFAULTS | {"connections"}


@pytest.mark.requirement("W053")
def test_the_first_that_is_off_is_named(alice: Caller) -> None:
    with pytest.raises(Refused) as refused:
        require_capability(alice, "secrets", "inbound", "api_workflow")

    assert (refused.value.code, refused.value.details) == ("CAPABILITY_OFF", {"capability": "inbound"})


@pytest.mark.parametrize(("who", "code"), [("mia", "FORBIDDEN"), ("vic", "FORBIDDEN")])
def test_members_switch_nothing(who: str, code: str, request: pytest.FixtureRequest) -> None:
    caller: Caller = request.getfixturevalue(who)

    with pytest.raises(Refused) as refused:
        switch_capability(caller, name="inbound", is_on=True)

    assert refused.value.code == code
    assert on(caller) == DEFAULTS


def test_no_token_switches_and_no_name_is_made_up(alice: Caller) -> None:
    for caller, name, code in (
        (token_caller(token_of(alice)), "inbound", "PERSON_ONLY"),
        (alice, "flying", "INVALID_INPUT"),
    ):
        with pytest.raises(Refused) as refused:
            switch_capability(caller, name=name, is_on=True)
        assert refused.value.code == code

    assert on(alice) == DEFAULTS


def test_a_switch_is_audited_once(alice: Caller, amir: Caller) -> None:
    switch_capability(amir, name="inbound", is_on=True)
    switch_capability(alice, name="inbound", is_on=True)

    entries = AuditEntry.objects.filter(verb="capability.switched").values_list("actor", "data")
    assert list(entries) == [(amir.actor.pk, {"capability": "inbound", "is_on": True})]
