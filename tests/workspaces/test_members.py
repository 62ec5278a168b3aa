"""Members and roles: who may change whom, and the last owner."""

from __future__ import annotations

from functools import partial

import pytest

from bakedbrie.lib.refusals import Refused
from tests.factories.workspaces import caller_of, make_member, make_user, make_workspace, token_caller
from tests.support.cast import token_of
from tests.support.races import at_once, codes
from workspaces.caller import Caller
from workspaces.models import AuditEntry, Member, Token
from workspaces.roles import Role
from workspaces.services.members import add_member, change_role, remove_member
from workspaces.services.tokens import mint_token
from workspaces.services.users import set_active
from workspaces.states import Preset


def role_of(caller: Caller) -> str:
    return Member.objects.get(pk=caller.member.pk).role


def active_owners(caller: Caller) -> int:
    owners = Member.objects.filter(workspace=caller.workspace, role=Role.OWNER, removed_at=None)
    return owners.filter(user__is_active=True).count()


def audit(caller: Caller) -> list[tuple[str, dict[str, object]]]:
    return list(AuditEntry.objects.filter(workspace=caller.workspace).order_by("pk").values_list("verb", "data"))


@pytest.mark.requirement("W001", "W004")
def test_each_role_can_be_given_and_is_read_back(alice: Caller) -> None:
    added = [add_member(alice, user=make_user(role.value), role=role) for role in Role]

    assert [Member.objects.get(pk=member.pk).role for member in added] == ["owner", "admin", "member", "viewer"]
    assert {member.workspace_id for member in added} == {alice.workspace.pk}
    assert [member.actor.name for member in added] == ["owner", "admin", "member", "viewer"]


@pytest.mark.requirement("W005")
@pytest.mark.parametrize("who", ["mia", "vic"])
def test_members_and_viewers_change_no_rights(who: str, alice: Caller, request: pytest.FixtureRequest) -> None:
    caller: Caller = request.getfixturevalue(who)
    before = audit(alice)

    for change in (
        partial(add_member, caller, user=make_user(), role=Role.VIEWER),
        partial(change_role, caller, member=caller.member, role=Role.ADMIN),
        partial(remove_member, caller, member=alice.member),
    ):
        with pytest.raises(Refused) as refused:
            change()
        assert refused.value.code == "FORBIDDEN"

    assert audit(alice) == before


@pytest.mark.requirement("C094")
def test_an_admin_neither_makes_nor_unmakes_owners(alice: Caller, amir: Caller) -> None:
    second = make_member(alice, name="Olga", role=Role.OWNER)

    for change in (
        partial(add_member, amir, user=make_user(), role=Role.OWNER),
        partial(change_role, amir, member=amir.member, role=Role.OWNER),
        partial(change_role, amir, member=alice.member, role=Role.MEMBER),
        partial(remove_member, amir, member=second.member),
    ):
        with pytest.raises(Refused) as refused:
            change()
        assert (refused.value.code, refused.value.details) == ("FORBIDDEN", {"needs": "owner"})

    assert (role_of(alice), role_of(amir), role_of(second)) == ("owner", "admin", "owner")


@pytest.mark.parametrize("preset", list(Preset))
def test_a_token_changes_no_rights(alice: Caller, mia: Caller, preset: Preset) -> None:
    caller = token_caller(token_of(alice, preset))

    for change in (
        partial(add_member, caller, user=make_user(), role=Role.VIEWER),
        partial(change_role, caller, member=mia.member, role=Role.ADMIN),
        partial(remove_member, caller, member=mia.member),
    ):
        with pytest.raises(Refused) as refused:
            change()
        assert refused.value.code == "PERSON_ONLY"

    assert role_of(mia) == "member"


@pytest.mark.requirement("C094")
def test_the_last_owner_cannot_leave_step_down_or_be_switched_off(alice: Caller, amir: Caller) -> None:
    for change in (
        partial(change_role, alice, member=alice.member, role=Role.ADMIN),
        partial(remove_member, alice, member=alice.member),
        partial(set_active, alice.member.user, is_active=False),
    ):
        with pytest.raises(Refused) as refused:
            change()
        assert refused.value.code == "LAST_OWNER"

    assert active_owners(alice) == 1


@pytest.mark.requirement("C094")
def test_an_owner_whose_account_is_off_does_not_count(alice: Caller) -> None:
    second = make_member(alice, name="Olga", role=Role.OWNER)
    set_active(second.member.user, is_active=False)

    with pytest.raises(Refused) as refused:
        remove_member(alice, member=alice.member)

    assert refused.value.code == "LAST_OWNER"
    assert remove_member(alice, member=second.member).removed_at is not None


@pytest.mark.requirement("C094")
@pytest.mark.django_db(transaction=True)
def test_two_owners_who_demote_each_other_at_once_leave_one() -> None:
    first = make_workspace()
    second = make_member(first, name="Otto", role=Role.OWNER)

    outcomes = at_once(
        partial(change_role, caller_of(first.member), member=second.member, role=Role.MEMBER),
        partial(change_role, caller_of(second.member), member=first.member, role=Role.MEMBER),
    )

    assert codes(outcomes) == ["FORBIDDEN", "done"]
    assert active_owners(first) == 1


@pytest.mark.requirement("C094")
@pytest.mark.django_db(transaction=True)
def test_an_owner_who_leaves_while_the_other_is_switched_off_stays() -> None:
    first = make_workspace()
    second = make_member(first, name="Otto", role=Role.OWNER)

    outcomes = at_once(
        partial(remove_member, caller_of(first.member), member=first.member),
        partial(set_active, second.member.user, is_active=False),
    )

    assert codes(outcomes) == ["LAST_OWNER", "done"]
    assert active_owners(first) == 1


@pytest.mark.requirement("W002")
def test_members_of_another_workspace_do_not_exist_here(alice: Caller, charlie: Caller) -> None:
    for change in (
        partial(change_role, alice, member=charlie.member, role=Role.VIEWER),
        partial(remove_member, alice, member=charlie.member),
    ):
        with pytest.raises(Refused) as refused:
            change()
        assert refused.value.code == "NOT_FOUND"

    assert role_of(charlie) == "owner"


def test_a_removed_member_loses_every_token_and_gets_none_back_on_return(alice: Caller, mia: Caller) -> None:
    raw = token_of(mia)

    remove_member(alice, member=mia.member)
    back = add_member(alice, user=mia.member.user, role=Role.VIEWER)

    assert (back.pk, back.role, back.removed_at) == (mia.member.pk, "viewer", None)
    assert Token.objects.filter(member=mia.member, revoked_at=None).count() == 0
    with pytest.raises(Refused) as refused:
        token_caller(raw)
    assert refused.value.code == "TOKEN_REVOKED"


def test_a_member_may_leave_and_cannot_be_added_twice(alice: Caller, mia: Caller, vic: Caller) -> None:
    remove_member(vic, member=vic.member)

    with pytest.raises(Refused) as refused:
        add_member(alice, user=mia.member.user, role=Role.ADMIN)

    assert refused.value.code == "ALREADY_MEMBER"
    assert Member.objects.get(pk=vic.member.pk).removed_at is not None


def test_every_change_of_a_right_is_in_the_audit_trail(alice: Caller) -> None:
    member = add_member(alice, user=make_user(), role=Role.VIEWER)
    change_role(alice, member=member, role=Role.MEMBER)
    change_role(alice, member=member, role=Role.MEMBER)
    remove_member(alice, member=member)

    assert audit(alice)[1:] == [
        ("member.added", {"member": str(member.pk), "role": "viewer"}),
        ("member.role_changed", {"member": str(member.pk), "before": "viewer", "after": "member"}),
        ("member.removed", {"member": str(member.pk), "role": "member", "tokens_revoked": 0}),
    ]


@pytest.mark.django_db(transaction=True)
def test_a_token_minted_while_its_member_is_removed_is_revoked_or_never_made() -> None:
    owner = make_workspace()
    member = make_member(owner)

    at_once(
        partial(remove_member, caller_of(owner.member), member=member.member),
        partial(mint_token, caller_of(member.member), label="late", preset=Preset.FULL_CONTROL),
    )

    assert Token.objects.filter(member=member.member, revoked_at=None).count() == 0


def test_an_account_that_is_switched_off_and_on_stands_on_the_trail_of_its_workspaces(
    alice: Caller, mia: Caller, charlie: Caller
) -> None:
    for is_active in (False, True):
        set_active(mia.member.user, is_active=is_active, operator="root@example.com")

    entries = AuditEntry.objects.filter(verb="member.switched").order_by("pk")
    assert [(entry.workspace, entry.actor.name, entry.data) for entry in entries] == [
        (alice.workspace, "Operator root@example.com", {"member": str(mia.member.pk), "is_on": is_on})
        for is_on in (False, True)
    ]
