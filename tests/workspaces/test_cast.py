"""The cast itself: roles, workspaces and tokens are what the names promise."""

from __future__ import annotations

import pytest

from tests.factories.workspaces import token_caller
from tests.support.cast import token_of
from workspaces.caller import Caller
from workspaces.roles import Role
from workspaces.states import Preset


@pytest.mark.requirement("W004")
def test_the_cast_has_one_person_in_each_role(
    alice: Caller, amir: Caller, mia: Caller, vic: Caller, charlie: Caller
) -> None:
    roles = [caller.role for caller in (alice, amir, mia, vic, charlie)]

    assert roles == [Role.OWNER, Role.ADMIN, Role.MEMBER, Role.VIEWER, Role.OWNER]
    assert {caller.workspace.pk for caller in (amir, mia, vic)} == {alice.workspace.pk}
    assert charlie.workspace.pk != alice.workspace.pk


@pytest.mark.requirement("W003", "W008")
@pytest.mark.parametrize("preset", list(Preset))
def test_a_token_stands_for_its_member_and_preset(mia: Caller, preset: Preset) -> None:
    caller = token_caller(token_of(mia, preset), "r-1")

    assert (caller.workspace, caller.member, caller.actor) == (mia.workspace, mia.member, mia.actor)
    assert (caller.preset, caller.request_id) == (preset, "r-1")
