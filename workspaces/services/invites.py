"""Invites: an owner or admin asks somebody in by e-mail address, with a link that works once and for seven days."""

from __future__ import annotations

import logging
import uuid
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from bakedbrie.lib import ids
from workspaces.access import caller_from_member, get_open_invite, token_digest
from workspaces.caller import Caller
from workspaces.models import Invite, Member, User
from workspaces.refusals import ACCOUNT_EXISTS, ALREADY_MEMBER, INVITE_EXPIRED, INVITE_OTHER_ADDRESS
from workspaces.roles import Role
from workspaces.services.audit import record_audit
from workspaces.services.members import admit, lock_and_check, lock_workspace, require_owner_for
from workspaces.services.passkeys import add_passkey
from workspaces.services.passwords import require_good

logger = logging.getLogger(__name__)

PATH = "/invites/"
LIFETIME = timedelta(days=7)


@transaction.atomic
def invite_member(caller: Caller, *, email: str, role: Role) -> tuple[Invite, str]:
    """Return a new invite and the path of its link, which is nowhere else. An earlier open one of the address ends.

    Whether the address has an account with us makes no difference; only owners invite owners.
    """
    lock_and_check(caller)
    require_owner_for(caller, role)
    if Member.objects.filter(workspace=caller.workspace, user__email=email, removed_at=None).exists():
        raise ALREADY_MEMBER()
    _open_ones(caller).filter(email=email).update(revoked_at=Now(), updated_at=Now())
    raw = ids.new_secret("")
    invite = Invite.objects.create(
        workspace=caller.workspace,
        email=email,
        role=role,
        digest=token_digest(raw),
        invited_by=caller.member,
        expires_at=Now() + LIFETIME,
    )
    invite.refresh_from_db(fields=["expires_at"])
    record_audit(caller, "invite.made", invite=str(invite.pk), email=email, role=role.value)
    logger.info("Invite made", extra={"invite": invite.pk, "role": role.value})
    return invite, f"{PATH}{raw}/"


@transaction.atomic
def revoke_invite(caller: Caller, *, invite: Invite) -> Invite:
    """Take an open invite back. One that is over stays as it is."""
    lock_and_check(caller)
    changed = _open_ones(caller).filter(pk=invite.pk).update(revoked_at=Now(), updated_at=Now())
    if changed:
        record_audit(caller, "invite.revoked", invite=str(invite.pk), email=invite.email, role=invite.role)
    invite.refresh_from_db(fields=["revoked_at", "accepted_at", "updated_at"])
    return invite


@transaction.atomic
def accept_invite(*, raw: str, user: User) -> Member:
    """Make a signed-in person a member. Of two at once one is refused with INVITE_EXPIRED."""
    lock_workspace(get_open_invite(raw).workspace_id)
    return _accept(get_open_invite(raw), user)  # read again: while this waited it may have been used or taken back


@transaction.atomic
def accept_as_new(*, raw: str, name: str, password: str) -> Member:
    """Make an account with a password for the invite's address, and its person a member."""
    lock_workspace(get_open_invite(raw).workspace_id)
    invite = get_open_invite(raw)
    require_good(password, User(email=invite.email, name=name))
    return _accept(invite, _make_account(User(email=invite.email, name=name), password))


@transaction.atomic
def accept_with_passkey(*, raw: str, user_id: uuid.UUID, name: str, answer: str) -> Member:
    """Make an account without a password for the invite's address. Its passkey was made for ``user_id``."""
    lock_workspace(get_open_invite(raw).workspace_id)
    invite = get_open_invite(raw)
    user = _make_account(User(pk=user_id, email=invite.email, name=name), None)
    add_passkey(user, name="First passkey", answer=answer)
    return _accept(invite, user)


def _make_account(user: User, password: str | None) -> User:
    user.set_password(password)
    try:
        with transaction.atomic():
            user.save(force_insert=True)
    except IntegrityError:
        raise ACCOUNT_EXISTS() from None
    logger.info("Account made", extra={"user": user.pk})
    return user


def _accept(invite: Invite, user: User) -> Member:
    if user.email != invite.email:
        raise INVITE_OTHER_ADDRESS(email=invite.email)
    if Member.objects.filter(workspace=invite.workspace, user=user, removed_at=None).exists():
        raise ALREADY_MEMBER("You are a member already.", fix="Open your boards; the invitation is not needed.")
    member = admit(invite.workspace, user=user, role=Role(invite.role))
    still_open = Invite.objects.filter(pk=invite.pk, accepted_at=None, revoked_at=None, expires_at__gt=Now())
    if not still_open.update(accepted_at=Now(), accepted_by=member, updated_at=Now()):
        raise INVITE_EXPIRED()
    joined = Member.objects.select_related("workspace", "actor", "user").get(pk=member.pk)
    record_audit(
        caller_from_member(joined),
        "invite.accepted",
        invite=str(invite.pk),
        member=str(member.pk),
        role=invite.role,
        invited_by=str(invite.invited_by_id),
    )
    return joined


def _open_ones(caller: Caller) -> QuerySet[Invite]:
    return Invite.objects.filter(workspace=caller.workspace, accepted_at=None, revoked_at=None)
