"""Tokens: minted by a person and shown once, revoked from the next call on."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from bakedbrie.lib import clock, ids
from bakedbrie.lib.refusals import INVALID_INPUT, NOT_FOUND
from workspaces.access import require_person, require_writer, token_digest
from workspaces.caller import Caller
from workspaces.models import Member, Token
from workspaces.refusals import FORBIDDEN
from workspaces.roles import Role, is_at_least
from workspaces.services.audit import record_audit
from workspaces.states import Preset

logger = logging.getLogger(__name__)

PREFIX = "bb_"
USE_NOTED_EVERY = timedelta(minutes=1)


@transaction.atomic
def mint_token(caller: Caller, *, label: str, preset: Preset, expires_at: datetime | None = None) -> tuple[Token, str]:
    """Return a new token of the caller's own and its text, which is nowhere else. Any role: rights are the member's."""
    require_person(caller)
    require_writer(caller, Role.VIEWER)
    lock_own_membership(caller)
    if expires_at is not None and expires_at <= clock.now():
        raise INVALID_INPUT(fields={"expires_at": ["must be in the future"]})
    raw = ids.new_secret(PREFIX)
    token = Token.objects.create(
        workspace=caller.workspace,
        member=caller.member,
        label=label,
        preset=preset,
        digest=token_digest(raw),
        hint=raw[-4:],
        expires_at=expires_at,
    )
    record_audit(caller, "token.minted", token=str(token.pk), label=label, preset=preset.value)
    logger.info("Token minted", extra={"token": token.pk, "preset": preset.value})
    return token, raw


def lock_own_membership(caller: Caller) -> None:
    """Hold off a removal that goes on meanwhile: it would miss the new token, which a later return would revive."""
    locked = Member.objects.select_for_update(no_key=True).filter(pk=caller.member.pk, removed_at=None)
    if locked.first() is None:
        raise FORBIDDEN()


@transaction.atomic
def revoke_token(caller: Caller, *, token: Token) -> Token:
    """Revoke an own token, or as owner or admin any token of the workspace. Once more changes nothing."""
    require_writer(caller, Role.VIEWER)
    is_own = token.member_id == caller.member.pk
    if token.workspace_id != caller.workspace.pk or not (is_own or is_at_least(caller.role, Role.ADMIN)):
        raise NOT_FOUND()
    now = clock.now()
    changed = Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now, updated_at=now)
    if changed:
        token.revoked_at = now
        record_audit(caller, "token.revoked", token=str(token.pk), label=token.label, preset=token.preset)
        logger.info("Token revoked", extra={"token": token.pk})
    return token


def note_use(token: Token) -> None:
    """Write the time of last use, at most once a minute, however many calls come at once."""
    now = clock.now()
    if token.last_used_at is not None and token.last_used_at > now - USE_NOTED_EVERY:
        return
    is_due = Q(last_used_at=None) | Q(last_used_at__lte=Now() - USE_NOTED_EVERY)
    Token.objects.filter(is_due, pk=token.pk).update(last_used_at=Now())
