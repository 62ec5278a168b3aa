"""May they? The only place that turns a token into a caller, and the only place that weighs presets and roles."""

from __future__ import annotations

import hashlib

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from bakedbrie.lib import clock, ids, log_context
from bakedbrie.lib.lookups import Lookup
from bakedbrie.lib.refusals import NOT_FOUND, Refused
from workspaces.audience import mcp_address
from workspaces.caller import Caller
from workspaces.models import Invite, Member, Token
from workspaces.refusals import (
    CAPABILITY_OFF,
    FORBIDDEN,
    INVITE_EXPIRED,
    PERSON_ONLY,
    TOKEN_READ_ONLY,
    TOKEN_REVOKED,
    TOKEN_RUNNER_ONLY,
    UNAUTHENTICATED,
)
from workspaces.roles import Role, is_at_least
from workspaces.states import Preset, TokenKind


def token_digest(raw: str) -> str:
    return hashlib.sha256(raw.encode()).hexdigest()


def caller_from_token(raw: str, request_id: str = "") -> Caller:
    """Return the caller of a live token: one query, nothing cached, so a revocation counts from the next call."""
    return _caller_with(_TOKEN_BY_DIGEST.first(token_digest(raw)), request_id)


def caller_from_subject(subject: object) -> Caller:
    """Return whom `Caller.subject` names, with the rights they have now: a token, or a person of the web app."""
    pk = ids.parse_id(subject)
    members = Member.objects.select_related("workspace", "actor", "user")
    member = members.filter(pk=pk, removed_at=None, user__is_active=True).first()
    return caller_from_member(member) if member else _caller_with(_tokens().filter(pk=pk).first())


def _tokens() -> QuerySet[Token]:
    return Token.objects.select_related("workspace", "member__actor", "member__user")


_TOKEN_BY_DIGEST = Lookup(lambda digest: _tokens().filter(digest=digest), any_key="any digest")


def _caller_with(token: Token | None, request_id: str = "") -> Caller:
    if token is None:
        raise UNAUTHENTICATED()
    if _is_over(token) or token.member.removed_at or not token.member.user.is_active:
        raise TOKEN_REVOKED()
    member = token.member
    log_context.bind(workspace=token.workspace_id, token=token.pk)
    return Caller(workspace=token.workspace, member=member, actor=member.actor, token=token, request_id=request_id)


def _is_over(token: Token) -> bool:
    now = clock.now()
    is_late = any(end is not None and end <= now for end in (token.expires_at, token.access_ends_at))
    is_for_another = token.kind == TokenKind.CONNECTED and token.audience != mcp_address()
    return token.revoked_at is not None or is_late or is_for_another


def presets_to_give(caller: Caller) -> tuple[Preset, ...]:
    """Return what a person may let an assistant do, least first; it never gets more than they have anyway."""
    if not is_at_least(caller.role, Role.MEMBER):
        return (Preset.READ_ONLY,)
    return (Preset.READ_ONLY, Preset.FULL_CONTROL)


def caller_from_member(member: Member, request_id: str = "") -> Caller:
    """Return the caller of a signed-in person; their memberships were looked up with workspace and actor."""
    return Caller(workspace=member.workspace, member=member, actor=member.actor, request_id=request_id)


def require_reader(caller: Caller) -> None:
    """Every read of the workspace's content: any role, but no runner token."""
    if caller.preset is Preset.RUNNER:
        raise TOKEN_RUNNER_ONLY()


def require_writer(caller: Caller, least: Role = Role.MEMBER) -> None:
    """Every write passes here: the token's preset first, then the member's role."""
    require_reader(caller)
    if caller.preset is Preset.READ_ONLY:
        raise read_only(caller)
    if not is_at_least(caller.role, least):
        raise FORBIDDEN(needs=least.value)


def read_only(caller: Caller) -> Refused:
    """Return the refusal for a token that may only read; that of a connected assistant is not minted but given."""
    if caller.token is not None and caller.token.kind == TokenKind.CONNECTED:
        return TOKEN_READ_ONLY(
            fix="Ask the user to disconnect this assistant in BakedBrie under Settings, Tokens, then to connect it "
            "again and to choose “Do everything you may”."
        )
    return TOKEN_READ_ONLY()


def require_capability(caller: Caller, *names: str) -> None:
    """Refuse when one of the capabilities is off, naming the first."""
    for name in names:
        if name not in caller.capabilities:
            raise CAPABILITY_OFF(capability=name)


def require_person(caller: Caller) -> None:
    """Refuse tokens and agents: who may do what is decided by people, in the web app."""
    if not caller.is_person_on_the_web:
        raise PERSON_ONLY()


def get_member(caller: Caller, member_id: object) -> Member:
    """Return a member of the caller's workspace who was not removed, with user and actor."""
    require_reader(caller)
    members = Member.objects.select_related("user", "actor", "workspace")
    member = members.filter(workspace=caller.workspace, removed_at=None, pk=ids.parse_id(member_id)).first()
    if member is None:
        raise NOT_FOUND()
    return member


def get_token(caller: Caller, token_id: object) -> Token:
    """Return one of the caller's own tokens; owners and admins reach every token of the workspace."""
    require_reader(caller)
    may_open = Q() if is_at_least(caller.role, Role.ADMIN) else Q(member=caller.member)
    tokens = Token.objects.select_related("member__user").filter(may_open, workspace=caller.workspace)
    token = tokens.filter(pk=ids.parse_id(token_id)).first()
    if token is None:
        raise NOT_FOUND()
    return token


def get_open_invite(raw: str) -> Invite:
    """Return the invite that a link stands for, with workspace and inviter, while it can be accepted.

    Used, expired, taken back and never made answer alike, and so does one whose inviter could not make it any more.
    """
    rows = Invite.objects.select_related("workspace", "invited_by__user", "invited_by__actor")
    invite = rows.filter(digest=token_digest(raw), accepted_at=None, revoked_at=None, expires_at__gt=Now()).first()
    if invite is None or not may_still_invite(invite):
        raise INVITE_EXPIRED()
    return invite


def get_invite(caller: Caller, invite_id: object) -> Invite:
    """Return an invite of the caller's workspace, open or over, for owners and admins."""
    require_reader(caller)
    if not is_at_least(caller.role, Role.ADMIN):
        raise FORBIDDEN(needs=Role.ADMIN.value)
    invite = Invite.objects.filter(workspace=caller.workspace, pk=ids.parse_id(invite_id)).first()
    if invite is None:
        raise NOT_FOUND()
    return invite


def may_still_invite(invite: Invite) -> bool:
    """Return whether who made an invite could make it today; it counts no longer than that."""
    inviter = invite.invited_by
    is_there = inviter.removed_at is None and inviter.user.is_active
    return is_there and is_at_least(Role(inviter.role), Role.OWNER if invite.role == Role.OWNER else Role.ADMIN)
