"""What an AI account may cost in a calendar month (UTC), reserved before a call is sent."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models.functions import Now

from agents.models import AiAccount
from agents.providers.base import Usage
from agents.providers.prices import most_micros
from agents.refusals import AI_COST_UNKNOWN, AI_MONTHLY_CAP
from agents.rules import month_of
from agents.selectors import spent_micros
from agents.services.accounts import require_keeper
from bakedbrie.lib import clock
from bakedbrie.lib.refusals import Refusal
from workspaces.caller import Caller
from workspaces.refusals import PERSON_ONLY
from workspaces.services.audit import record_audit


@transaction.atomic
def set_monthly_cap(caller: Caller, *, account: AiAccount, cap_micros: int | None) -> AiAccount:
    """Bound what the account's calls may cost in a month, whoever it pays for; None takes the bound away.

    A token may set a first cap and lower it; raising one or taking it away is a person's act.
    """
    require_keeper(caller, account)
    before = _locked_cap(account)
    is_looser = before is not None and (cap_micros is None or cap_micros > before)
    if is_looser and caller.token is not None:
        raise PERSON_ONLY(fix="Ask the user: they raise it under Settings, AI accounts. Here it is only lowered.")
    if cap_micros is not None and not can_be_capped(account):
        raise AI_COST_UNKNOWN()
    AiAccount.objects.filter(pk=account.pk).update(monthly_cap_micros=cap_micros, updated_at=Now())
    data = {"account": str(account.pk), "label": account.label}
    record_audit(caller, "ai_account.capped", **data, cap_micros=cap_micros, before_micros=before)
    account.monthly_cap_micros = cap_micros
    return account


def can_be_capped(account: AiAccount) -> bool:
    """Whether a cap can be kept: what the model costs is known."""
    one_token = Usage(read=1, written=1)
    return most_micros(account.provider, account.model, one_token, clock.now()) is not None


def cap_reached(account: AiAccount, most: int | None, now: datetime) -> Refusal | None:
    """Return why a call that costs at most ``most`` may not be sent now, or None when it may.

    Runs in the transaction that records the call: with a cap the account stays locked until that is committed, so two
    calls never both take the last of it. A call whose cost is not known counts with the most it could cost.
    """
    if account.monthly_cap_micros is None:
        return None
    cap = _locked_cap(account)
    if cap is None:
        return None
    if most is None:
        return AI_COST_UNKNOWN
    return AI_MONTHLY_CAP if spent_micros(account, month_of(now)) + most > cap else None


def _locked_cap(account: AiAccount) -> int | None:
    """Return the cap as it is now, the account locked until the transaction ends. A turn is locked before it."""
    rows = AiAccount.objects.select_for_update(no_key=True)
    return rows.values_list("monthly_cap_micros", flat=True).get(pk=account.pk)
