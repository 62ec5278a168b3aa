"""AI accounts as rows: added once their key was checked, marked by checks, removed with their key.

Asking a provider is `agents.calls`' work; nothing here sends.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from agents.models import AiAccount
from agents.providers import KINDS
from agents.providers.outcomes import OUTCOMES, AiCode
from agents.refusals import AI_KIND_UNSUPPORTED
from agents.states import AccountKind, AccountState, Provider
from bakedbrie.lib import clock
from bakedbrie.lib.outbound.urls import NotPublic, UrlRefused, parse_base_url
from bakedbrie.lib.refusals import INVALID_INPUT
from workspaces.access import require_writer
from workspaces.caller import Caller
from workspaces.models import SealedSecret
from workspaces.refusals import FORBIDDEN
from workspaces.roles import Role, is_at_least
from workspaces.services.audit import record_audit
from workspaces.services.secrets import destroy_secret

LISTED_BY_OPERATOR = (
    " A model on this machine or network is named by the operator first: host:port in OUTBOUND_LOOPBACK"
)


@dataclass(frozen=True, kw_only=True)
class AccountPlan:
    """Everything of a new account but its key, checked and with the provider's defaults filled in."""

    label: str
    kind: AccountKind
    provider: Provider
    base_url: str
    model: str
    context_tokens: int
    answer_tokens: int


def plan_account(
    *,
    label: str,
    kind: AccountKind,
    provider: Provider,
    base_url: str | None = None,
    model: str | None = None,
    context_tokens: int | None = None,
    answer_tokens: int | None = None,
) -> AccountPlan:
    """Check what was given before any secret is touched, or refuse with every problem by its field."""
    if kind is not AccountKind.API_KEY:
        raise AI_KIND_UNSUPPORTED(kind=kind.value)
    wire = KINDS[provider]
    plan = AccountPlan(
        label=label,
        kind=kind,
        provider=provider,
        base_url=base_url or wire.base_url,
        model=model or wire.model,
        context_tokens=context_tokens or wire.context_tokens,
        answer_tokens=answer_tokens or wire.answer_tokens,
    )
    _require_room(plan.context_tokens, plan.answer_tokens)
    fields = {name: [f"needed for {provider.value}"] for name in ("base_url", "model") if not getattr(plan, name)}
    spelled = plan.base_url
    if plan.base_url:
        try:
            spelled = parse_base_url(plan.base_url, loopback=settings.OUTBOUND_LOOPBACK)
        except UrlRefused as refused:
            fields["base_url"] = [str(refused) + (LISTED_BY_OPERATOR if isinstance(refused, NotPublic) else "")]
    if fields:
        raise INVALID_INPUT(fields=fields)
    return AccountPlan(**{**plan.__dict__, "base_url": spelled})


@transaction.atomic
def add_account(caller: Caller, *, plan: AccountPlan, secret: SealedSecret) -> AiAccount:
    """Keep an account whose key the provider has just accepted."""
    require_writer(caller)
    account = AiAccount.objects.create(
        workspace=caller.workspace,
        secret=secret,
        added_by=caller.actor,
        checked_at=clock.now(),
        **plan.__dict__,
    )
    record_audit(
        caller, "ai_account.connected", account=str(account.pk), label=plan.label, provider=plan.provider.value
    )
    return account


@transaction.atomic
def note_check(account: AiAccount, code: AiCode) -> None:
    """Keep what a check told: DONE mends the account, a code that blocks marks it. A removed one stays removed."""
    state = AccountState.READY if code is AiCode.DONE else AccountState.UNAVAILABLE
    rows = AiAccount.objects.filter(pk=account.pk).exclude(state=AccountState.REMOVED)
    rows.update(state=state, code=code.value, checked_at=Now(), updated_at=Now())
    account.refresh_from_db(fields=["state", "code", "checked_at"])


def note_outcome(account_id: uuid.UUID, code: AiCode) -> None:
    """Keep what the end of a turn told of its account: that it cannot be used, or what its service does not take."""
    rows = AiAccount.objects.filter(pk=account_id)
    if OUTCOMES[code].blocks_account:
        rows.filter(state=AccountState.READY).update(
            state=AccountState.UNAVAILABLE, code=code, checked_at=Now(), updated_at=Now()
        )
    if code is AiCode.COUNTS_REFUSED:
        rows.update(asks_for_counts=False, updated_at=Now())


@transaction.atomic
def edit_account(
    caller: Caller,
    *,
    account: AiAccount,
    label: str | None = None,
    model: str | None = None,
    context_tokens: int | None = None,
    answer_tokens: int | None = None,
) -> AiAccount:
    """Change what is given; turns that are queued use it. Key, provider and address stay: connect another account."""
    require_keeper(caller, account)
    given = {"label": label, "model": model, "context_tokens": context_tokens, "answer_tokens": answer_tokens}
    locked = AiAccount.objects.select_for_update(no_key=True)
    account.refresh_from_db(fields=list(given), from_queryset=locked)  # what is not given may have changed since
    for field, value in given.items():
        setattr(account, field, getattr(account, field) if value is None else value)
    _require_room(account.context_tokens, account.answer_tokens)
    account.save(update_fields=[*given, "updated_at"])
    record_audit(caller, "ai_account.edited", account=str(account.pk), label=account.label, model=account.model)
    return account


@transaction.atomic
def remove_account(caller: Caller, *, account: AiAccount) -> AiAccount:
    """Remove an account and destroy its key; for admins and whoever added it.

    Its bindings stay: what it paid for is refused until another account is bound, and nothing pays instead (I009).
    """
    require_keeper(caller, account)
    secret = account.secret
    AiAccount.objects.filter(pk=account.pk).update(state=AccountState.REMOVED, code="", updated_at=Now())
    if secret is not None:
        destroy_secret(secret)
    record_audit(caller, "ai_account.removed", account=str(account.pk), label=account.label)
    account.refresh_from_db(fields=["state", "code"])
    return account


def require_keeper(caller: Caller, account: AiAccount) -> None:
    """An account is changed by admins and by whoever added it."""
    require_writer(caller)
    if not is_keeper(caller, account):
        raise FORBIDDEN(needs=Role.ADMIN.value)


def is_keeper(caller: Caller, account: AiAccount) -> bool:
    """Whether an account is the caller's to change, as far as roles go."""
    adds = account.added_by_id == caller.actor.pk and is_at_least(caller.role, Role.MEMBER)
    return adds or is_at_least(caller.role, Role.ADMIN)


def _require_room(context_tokens: int, answer_tokens: int) -> None:
    if answer_tokens * 2 > context_tokens:
        raise INVALID_INPUT(fields={"answer_tokens": ["may be at most half of context_tokens"]})
