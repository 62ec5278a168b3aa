"""Invites: who may make them, what a link is good for, and what becomes of it when rights go away."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest
from django.core.management import CommandError, call_command
from django.db.models.functions import Now
from django.forms.models import model_to_dict

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import parse
from tests.factories.workspaces import caller_of, make_member, make_user, make_workspace, token_caller
from tests.support.cast import token_of
from tests.support.races import at_once, codes
from workspaces.access import get_invite, get_open_invite
from workspaces.caller import Caller
from workspaces.inputs import InviteIn
from workspaces.models import AuditEntry, Invite, Member, Token, User
from workspaces.roles import Role
from workspaces.selectors import open_invites
from workspaces.services.invites import accept_as_new, accept_invite, invite_member, revoke_invite
from workspaces.services.members import change_role, remove_member
from workspaces.services.users import set_active

pytestmark = pytest.mark.django_db

EMAIL = "nora@example.com"
PASSWORD = "a loaf of rye and seeds"


def invite(caller: Caller, email: str = EMAIL, role: Role = Role.MEMBER) -> str:
    """Make an invite and return what its link holds."""
    _, path = invite_member(caller, email=email, role=role)
    return path.split("/")[-2]


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(Refused) as refused:
        call()
    return refused.value.code


def join(raw: str) -> Member:
    return accept_as_new(raw=raw, name="Nora Novak", password=PASSWORD)


def test_a_link_has_256_random_bits_and_only_its_digest_is_kept(alice: Caller) -> None:
    made, path = invite_member(alice, email=EMAIL, role=Role.VIEWER)

    raw = path.split("/")[-2]
    assert len(base64.urlsafe_b64decode(raw + "=")) == 32
    assert made.digest == hashlib.sha256(raw.encode()).hexdigest()
    assert raw not in repr(made) + str(made) + repr(model_to_dict(made)) + repr(vars(made))
    assert timedelta(days=6, hours=23) < made.expires_at - made.created_at < timedelta(days=7, hours=1)


@pytest.mark.requirement("W004")
@pytest.mark.parametrize("role", list(Role))
def test_each_role_can_be_invited_and_is_read_back(alice: Caller, role: Role) -> None:
    member = join(invite(alice, role=role))

    assert (member.workspace, member.role, member.actor.name) == (alice.workspace, role, "Nora Novak")
    assert User.objects.get(email=EMAIL).check_password(PASSWORD)


@pytest.mark.requirement("W005")
def test_only_owners_and_admins_invite_and_only_owners_invite_owners(
    alice: Caller, amir: Caller, mia: Caller, vic: Caller
) -> None:
    for caller in (mia, vic):
        assert code_of(partial(invite, caller)) == "FORBIDDEN"
    assert code_of(partial(invite, amir, role=Role.OWNER)) == "FORBIDDEN"
    assert code_of(partial(invite, token_caller(token_of(alice)))) == "PERSON_ONLY"
    assert not Invite.objects.exists()

    invite(amir, role=Role.ADMIN)
    assert Invite.objects.get().role == Role.ADMIN


def test_an_account_elsewhere_makes_no_difference_to_who_invites(alice: Caller, charlie: Caller) -> None:
    unknown, known = [
        invite_member(alice, email=email, role=Role.MEMBER)[0] for email in (EMAIL, charlie.member.user.email)
    ]

    assert {field for field in vars(unknown) if bool(vars(unknown)[field]) != bool(vars(known)[field])} == set()


def test_who_is_a_member_already_is_not_invited(alice: Caller, mia: Caller) -> None:
    assert code_of(partial(invite, alice, mia.member.user.email)) == "ALREADY_MEMBER"


def test_a_link_works_once(alice: Caller) -> None:
    raw = invite(alice)
    user = join(raw).user

    assert code_of(partial(join, raw)) == "INVITE_EXPIRED"
    assert code_of(partial(accept_invite, raw=raw, user=user)) == "INVITE_EXPIRED"
    assert Member.objects.filter(workspace=alice.workspace).count() == 2


def test_links_that_are_old_replaced_taken_back_or_made_up_answer_alike(alice: Caller) -> None:
    old, first, taken_back = invite(alice), invite(alice, "a@example.com"), invite(alice, "b@example.com")
    second = invite(alice, "a@example.com")
    Invite.objects.filter(email=EMAIL).update(expires_at=Now() - timedelta(seconds=1))
    revoke_invite(alice, invite=Invite.objects.get(email="b@example.com"))

    for raw in (old, first, taken_back, "made up", ""):
        assert code_of(partial(get_open_invite, raw)) == "INVITE_EXPIRED"
        assert code_of(partial(join, raw)) == "INVITE_EXPIRED"
    assert get_open_invite(second).email == "a@example.com"
    assert [one.email for one in open_invites(alice)] == ["a@example.com"]
    assert Member.objects.filter(workspace=alice.workspace).count() == 1


def test_an_invite_is_for_one_address(alice: Caller, charlie: Caller) -> None:
    raw = invite(alice)

    assert code_of(partial(accept_invite, raw=raw, user=charlie.member.user)) == "INVITE_OTHER_ADDRESS"
    assert get_open_invite(raw).email == EMAIL


def test_somebody_from_elsewhere_joins_with_their_account(alice: Caller, charlie: Caller) -> None:
    raw = invite(alice, charlie.member.user.email, Role.ADMIN)

    member = accept_invite(raw=raw, user=charlie.member.user)

    assert (member.workspace, member.role) == (alice.workspace, Role.ADMIN)
    assert charlie.member.user.memberships.count() == 2


def test_an_account_that_came_to_be_meanwhile_is_told(alice: Caller) -> None:
    raw = invite(alice)
    User.objects.create_user(EMAIL, PASSWORD, name="Nora")

    assert code_of(partial(join, raw)) == "ACCOUNT_EXISTS"
    assert get_open_invite(raw).email == EMAIL


@pytest.mark.parametrize("password", ["short", "qwerty123456", "nora@example.com"])
def test_a_weak_password_makes_no_account(alice: Caller, password: str) -> None:
    raw = invite(alice)

    with pytest.raises(Refused) as refused:
        accept_as_new(raw=raw, name="Nora", password=password)

    assert (refused.value.code, list(refused.value.details["fields"])) == ("INVALID_INPUT", ["password"])  # type: ignore[call-overload]
    assert not User.objects.filter(email=EMAIL).exists()


def test_a_removed_member_is_invited_again(alice: Caller, mia: Caller) -> None:
    token = token_of(mia)
    remove_member(alice, member=mia.member)

    back = accept_invite(raw=invite(alice, mia.member.user.email, Role.VIEWER), user=mia.member.user)

    assert (back.pk, back.role, back.removed_at) == (mia.member.pk, Role.VIEWER, None)
    assert code_of(partial(token_caller, token)) == "TOKEN_REVOKED"
    assert Token.objects.filter(member=back, revoked_at=None).count() == 0


@pytest.mark.requirement("C095")
def test_an_invite_counts_no_longer_than_its_makers_right_to_make_it(alice: Caller, amir: Caller) -> None:
    other = make_member(alice, "Olaf Ortiz", Role.OWNER)
    by_admin, by_owner, as_owner = (
        invite(amir),
        invite(other, "b@example.com"),
        invite(other, "c@example.com", Role.OWNER),
    )
    change_role(alice, member=amir.member, role=Role.MEMBER)
    change_role(alice, member=other.member, role=Role.ADMIN)

    assert code_of(partial(join, by_admin)) == "INVITE_EXPIRED"
    assert code_of(partial(join, as_owner)) == "INVITE_EXPIRED"
    assert get_open_invite(by_owner).email == "b@example.com"
    remove_member(alice, member=other.member)
    assert code_of(partial(join, by_owner)) == "INVITE_EXPIRED"
    assert not User.objects.filter(email__endswith="@example.com", name="Nora Novak").exists()


def test_an_invite_of_an_account_that_is_off_does_not_count(alice: Caller, amir: Caller) -> None:
    raw = invite(amir)
    set_active(amir.member.user, is_active=False)

    assert code_of(partial(join, raw)) == "INVITE_EXPIRED"


@pytest.mark.requirement("W002")
def test_invites_of_another_workspace_are_not_there(alice: Caller, charlie: Caller, mia: Caller) -> None:
    made, _ = invite_member(alice, email=EMAIL, role=Role.MEMBER)

    assert get_invite(alice, made.pk) == made
    assert code_of(partial(get_invite, charlie, made.pk)) == "NOT_FOUND"
    assert code_of(partial(get_invite, mia, made.pk)) == "FORBIDDEN"
    revoke_invite(charlie, invite=made)
    assert list(open_invites(alice)) == [made]
    assert list(open_invites(charlie)) == []


def test_every_step_is_on_the_audit_trail(alice: Caller) -> None:
    raw = invite(alice)
    made = Invite.objects.get()
    member = join(raw)
    other, _ = invite_member(alice, email="b@example.com", role=Role.VIEWER)
    revoke_invite(alice, invite=other)
    revoke_invite(alice, invite=other)

    trail = AuditEntry.objects.filter(workspace=alice.workspace, verb__startswith="invite.").order_by("pk")
    assert [(entry.verb, entry.actor_id) for entry in trail] == [
        ("invite.made", alice.actor.pk),
        ("invite.accepted", member.actor.pk),
        ("invite.made", alice.actor.pk),
        ("invite.revoked", alice.actor.pk),
    ]
    assert trail[1].data == {
        "invite": str(made.pk),
        "member": str(member.pk),
        "role": "member",
        "invited_by": str(alice.member.pk),
    }
    assert raw not in str([entry.data for entry in trail])


@pytest.mark.parametrize(
    "email", ["", "nora", "nora@", "a b@example.com", "nora@example.com\n.evil", "n" * 250 + "@e.co"]
)
def test_odd_addresses_are_refused(email: str) -> None:
    assert code_of(partial(parse, InviteIn, {"email": email, "role": "member"})) == "INVALID_INPUT"


def test_addresses_are_told_apart_without_case_and_white_space() -> None:
    assert parse(InviteIn, {"email": " Nora@Example.COM ", "role": "member"}).email == EMAIL


@pytest.mark.django_db(transaction=True)
def test_of_two_who_accept_at_once_one_joins(alice: Caller) -> None:
    raw = invite(alice)

    outcomes = at_once(*[partial(join, raw)] * 3)

    assert codes(outcomes) == ["INVITE_EXPIRED", "INVITE_EXPIRED", "done"]
    assert Member.objects.filter(workspace=alice.workspace).count() == 2


@pytest.mark.django_db(transaction=True)
def test_one_address_invited_by_two_workspaces_at_once_becomes_one_account(alice: Caller, charlie: Caller) -> None:
    links = [invite(alice), invite(charlie)]

    outcomes = at_once(*[partial(join, raw) for raw in links])

    assert codes(outcomes) == ["ACCOUNT_EXISTS", "done"]
    assert User.objects.filter(email=EMAIL).count() == 1


@pytest.mark.django_db(transaction=True)
def test_removing_the_inviter_and_accepting_at_once_end_in_one_order(alice: Caller, amir: Caller) -> None:
    raw = invite(amir)

    outcomes = at_once(partial(remove_member, alice, member=amir.member), partial(join, raw))

    joined = Member.objects.filter(workspace=alice.workspace, user__email=EMAIL).count()
    assert (codes(outcomes), joined) in ((["INVITE_EXPIRED", "done"], 0), (["done", "done"], 1))


def test_the_command_prints_a_link(alice: Caller, mia: Caller, capsys: pytest.CaptureFixture[str]) -> None:
    place = str(alice.workspace.pk)

    call_command("invite_member", place, "Nora@example.com", "--role", "admin", "--by", alice.member.user.email)
    raw = capsys.readouterr().out.strip().split("/")[-2]

    assert get_open_invite(raw).role == Role.ADMIN
    for email, by in (
        (EMAIL, mia.member.user.email),
        ("no address", alice.member.user.email),
        (EMAIL, "x@example.com"),
    ):
        with pytest.raises(CommandError):
            call_command("invite_member", place, email, "--by", by)
    with pytest.raises(CommandError):
        call_command("invite_member", str(make_workspace().workspace.pk), EMAIL, "--by", alice.member.user.email)


def test_a_user_who_was_added_meanwhile_is_told(alice: Caller) -> None:
    user = make_user()
    raw = invite(alice, user.email)
    first = accept_invite(raw=invite(alice, user.email), user=user)

    assert caller_of(first).role == Role.MEMBER
    assert code_of(partial(accept_invite, raw=raw, user=user)) == "INVITE_EXPIRED"
