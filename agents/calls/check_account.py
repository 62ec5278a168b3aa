"""Checking an AI account that is connected: one harmless question, which mends the account or marks it."""

from __future__ import annotations

from agents.calls.connect_account import Connected
from agents.calls.keys import KeyUnusable, open_key
from agents.calls.probe import probe
from agents.models import AiAccount
from agents.providers.outcomes import AiCode
from agents.services.accounts import note_check
from workspaces.access import require_writer
from workspaces.caller import Caller


def check_account(caller: Caller, *, account: AiAccount) -> Connected:
    """Ask the provider, keep what it says about the key, and return the account as it is now."""
    require_writer(caller)
    try:
        key = open_key(account.provider, account.secret)
    except KeyUnusable:
        note_check(account, AiCode.KEY_REJECTED)
        return Connected(account=account, is_model_listed=None)
    check = probe(account.provider, account.base_url, key)
    note_check(account, check.code)
    return Connected(account=account, is_model_listed=account.model in check.models if check.models else None)
