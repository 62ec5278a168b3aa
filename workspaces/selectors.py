"""What this app knows, for those who may see it. Nothing here writes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from bakedbrie.lib import ids
from workspaces import capabilities
from workspaces.access import require_reader
from workspaces.caller import Caller
from workspaces.models import Actor, AuditEntry, Invite, Member, Token, User, Workspace
from workspaces.refusals import FORBIDDEN
from workspaces.roles import Role, is_at_least
from workspaces.states import ActorKind, TokenKind


@dataclass(frozen=True, kw_only=True)
class Capability:
    """One whose ``needs`` are off is off."""

    name: str
    about: str
    needs: tuple[str, ...]
    is_on: bool


@dataclass(frozen=True, kw_only=True)
class Holdings:
    """How many live tokens and open invites a member has."""

    tokens: int
    invites: int


def memberships_of(user: User) -> QuerySet[Member]:
    """Return where the person belongs, oldest first, ready to become a caller."""
    members = Member.objects.select_related("workspace", "actor", "user")
    return members.filter(user=user, removed_at=None, user__is_active=True).order_by("pk")


def members_of(caller: Caller) -> QuerySet[Member]:
    """Return everybody in the caller's workspace, by name."""
    require_reader(caller)
    members = Member.objects.select_related("user", "actor").filter(workspace=caller.workspace, removed_at=None)
    return members.order_by("actor__name", "pk")


def member_count(caller: Caller) -> int:
    return members_of(caller).count()


def last_owner(caller: Caller) -> Member | None:
    """Return the one owner who can sign in, who has to stay; None while there are more."""
    owners = list(members_of(caller).filter(role=Role.OWNER, user__is_active=True)[:2])
    return owners[0] if len(owners) == 1 else None


def holdings_of(member: Member) -> Holdings:
    """Return what ends with a membership."""
    is_live = Q(expires_at=None) | Q(expires_at__gt=Now())
    tokens = Token.objects.filter(is_live, member=member, revoked_at=None).count()
    invites = Invite.objects.filter(invited_by=member, accepted_at=None, revoked_at=None, expires_at__gt=Now()).count()
    return Holdings(tokens=tokens, invites=invites)


def working_agents(caller: Caller) -> list[str]:
    """Return the names of the agents of the workspace that were not retired, for owners and admins."""
    _require_admin(caller)
    actors = Actor.objects.filter(workspace=caller.workspace, kind=ActorKind.AGENT, retired_at=None)
    return list(actors.order_by("name", "pk").values_list("name", flat=True))


def pause_of(caller: Caller) -> AuditEntry | None:
    """Return who stopped the work that is stopped now, and when; None where no person did."""
    require_reader(caller)
    entries = AuditEntry.objects.select_related("actor").filter(workspace=caller.workspace)
    last = entries.filter(verb__in=["dispatch.paused", "dispatch.resumed"]).order_by("-pk").first()
    return last if last is not None and last.verb == "dispatch.paused" else None


def tokens_of(caller: Caller) -> QuerySet[Token]:
    """Return the caller's own tokens, newest first, with those that were revoked or have expired."""
    require_reader(caller)
    return Token.objects.filter(workspace=caller.workspace, member=caller.member).order_by("-pk")


def workspace_tokens(caller: Caller) -> QuerySet[Token]:
    """Return every token of the workspace with its member, for owners and admins."""
    _require_admin(caller)
    tokens = Token.objects.select_related("member__user", "member__actor").filter(workspace=caller.workspace)
    return tokens.order_by("-pk")


def minted(tokens: QuerySet[Token]) -> QuerySet[Token]:
    return tokens.filter(kind=TokenKind.MINTED)


def connected(tokens: QuerySet[Token]) -> QuerySet[Token]:
    """Leave those of assistants that are connected now."""
    return tokens.filter(kind=TokenKind.CONNECTED, revoked_at=None, expires_at__gt=Now())


def open_invites(caller: Caller) -> QuerySet[Invite]:
    """Return the invites that can still be accepted, newest first, for owners and admins."""
    _require_admin(caller)
    invites = Invite.objects.select_related("invited_by__actor").filter(workspace=caller.workspace)
    return invites.filter(accepted_at=None, revoked_at=None, expires_at__gt=Now()).order_by("-pk")


def has_open_invite(caller: Caller, email: str) -> bool:
    """Whether a link that was made for this address can still be used."""
    invites = Invite.objects.filter(workspace=caller.workspace, email=email, accepted_at=None, revoked_at=None)
    return invites.filter(expires_at__gt=Now()).exists()


def unanswered_invites(caller: Caller) -> QuerySet[Invite]:
    """Return the invites that nobody accepted or took back, those that have expired among them, newest first."""
    _require_admin(caller)
    invites = Invite.objects.select_related("workspace", "invited_by__actor", "invited_by__user")
    return invites.filter(workspace=caller.workspace, accepted_at=None, revoked_at=None).order_by("-pk")


def active_user(user_id: object) -> User | None:
    return User.objects.filter(pk=ids.parse_id(user_id), is_active=True).first()


def has_account(email: str) -> bool:
    return User.objects.filter(email=email).exists()


def capability_switches(caller: Caller) -> dict[str, bool]:
    """Return all 24 capabilities and whether each is in effect: one whose needs are off is off."""
    return {name: name in caller.capabilities for name in capabilities.TEXTS}


def list_capabilities(caller: Caller) -> list[Capability]:
    """Return every capability with what it turns on and whether it counts as on."""
    require_reader(caller)
    return [
        Capability(name=name, about=about, needs=capabilities.NEEDS.get(name, ()), is_on=name in caller.capabilities)
        for name, about in capabilities.TEXTS.items()
    ]


def audit_of(
    caller: Caller, *, verb: str | None = None, kind: str | None = None, actor_id: str | None = None
) -> QuerySet[AuditEntry]:
    """Return who changed which right of the workspace, newest first, for owners and admins.

    ``kind`` is what a verb has before its dot.
    """
    _require_admin(caller)
    entries = AuditEntry.objects.select_related("actor").filter(workspace=caller.workspace)
    wanted = Q()
    if verb is not None:
        wanted &= Q(verb=verb)
    if kind is not None:
        wanted &= Q(verb__startswith=f"{kind}.")
    if actor_id is not None:
        wanted &= Q(actor=ids.parse_id(actor_id))
    return entries.filter(wanted).order_by("-pk")


def audited_actors(caller: Caller) -> QuerySet[Actor]:
    """Return everybody with an entry in the audit trail, by name, for owners and admins."""
    _require_admin(caller)
    entries = AuditEntry.objects.filter(workspace=caller.workspace, actor=OuterRef("pk"))
    return Actor.objects.filter(Exists(entries), workspace=caller.workspace).order_by("name", "pk")


def names_of_members(caller: Caller, member_ids: Iterable[str]) -> dict[str, str]:
    """Return the names of members of the workspace, removed ones among them, by their ids."""
    require_reader(caller)
    wanted = [ids.parse_id(text) for text in member_ids]
    rows = Actor.objects.filter(workspace=caller.workspace, member__in=wanted)
    return {str(member_id): name for member_id, name in rows.values_list("member_id", "name")}


def _require_admin(caller: Caller) -> None:
    require_reader(caller)
    if not is_at_least(caller.role, Role.ADMIN):
        raise FORBIDDEN(needs=Role.ADMIN.value)


def unmet_capabilities() -> set[str]:
    """Return what is switched on in some workspace and counts as off, because what it needs is off there."""
    rows = Workspace.objects.values_list("capabilities", flat=True)
    return {name for switched_on in rows for name in set(switched_on) - capabilities.effective(switched_on)}
