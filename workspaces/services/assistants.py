"""Connected assistants: each is a token that a person gave on a page, and that renews itself until it is revoked."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from bakedbrie.lib import clock
from bakedbrie.lib.refusals import INVALID_INPUT
from workspaces.access import presets_to_give, require_person, require_writer, token_digest
from workspaces.audience import mcp_address
from workspaces.caller import Caller
from workspaces.models import Token
from workspaces.refusals import TOKEN_REVOKED
from workspaces.roles import Role
from workspaces.services.audit import record_audit
from workspaces.services.tokens import lock_own_membership
from workspaces.states import Preset, TokenKind

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Access:
    """The text that an assistant sends with each call, and until when it counts and can be renewed."""

    raw: str
    ends_at: datetime
    renewable_until: datetime


def require_giveable(caller: Caller, preset: Preset) -> None:
    """Refuse what this person may give to no assistant."""
    require_person(caller)
    require_writer(caller, Role.VIEWER)
    if preset not in presets_to_give(caller):
        raise INVALID_INPUT(fields={"preset": ["is more than you may do in this workspace"]})


@transaction.atomic
def connect_assistant(caller: Caller, *, label: str, host: str, preset: Preset, access: Access) -> Token:
    """Return the token of an assistant that the person connected: their rights now count, not those of the page."""
    lock_own_membership(caller)
    caller.member.refresh_from_db(fields=["role", "removed_at"])
    require_giveable(caller, preset)
    token = Token.objects.create(
        workspace=caller.workspace,
        member=caller.member,
        label=label,
        host=host,
        preset=preset,
        kind=TokenKind.CONNECTED,
        audience=mcp_address(),
        digest=token_digest(access.raw),
        hint=access.raw[-4:],
        access_ends_at=access.ends_at,
        expires_at=access.renewable_until,
    )
    record_audit(caller, "assistant.connected", token=str(token.pk), label=label, host=host, preset=preset.value)
    logger.info("Assistant connected", extra={"token": token.pk, "host": host, "preset": preset.value})
    return token


@transaction.atomic
def renew_assistant(token: Token, *, access: Access) -> None:
    """Give the assistant a new text; the one before stops to count. Refuses once the token was revoked."""
    changed = Token.objects.filter(pk=token.pk, kind=TokenKind.CONNECTED, revoked_at=None).update(
        digest=token_digest(access.raw),
        hint=access.raw[-4:],
        access_ends_at=access.ends_at,
        expires_at=access.renewable_until,
        updated_at=clock.now(),
    )
    if not changed:
        raise TOKEN_REVOKED()


@transaction.atomic
def end_assistant(caller: Caller, *, token: Token, reason: str) -> None:
    """End what an assistant was given, in the name of its member: it gave it back, or somebody else used its keys."""
    now = clock.now()
    if not Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now, updated_at=now):
        return
    record_audit(caller, "assistant.ended", token=str(token.pk), label=token.label, reason=reason)
    logger.info("Assistant ended", extra={"token": token.pk, "reason": reason})


def may_renew(token: Token) -> bool:
    """Whether a connected assistant may still come for a new text. The token comes with its member and user."""
    member = token.member
    is_there = member.removed_at is None and member.user.is_active
    is_late = token.expires_at is not None and token.expires_at <= clock.now()
    return token.revoked_at is None and is_there and not is_late and token.audience == mcp_address()
