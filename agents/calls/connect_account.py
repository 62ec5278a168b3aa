"""Connecting an AI account: the drop is used up, the key is tried once, and only a good one is kept."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass

from django.db import transaction

from agents.calls.keys import KeyUnusable, open_key
from agents.calls.probe import probe
from agents.models import AiAccount
from agents.providers.outcomes import AiCode
from agents.refusals import AI_KEY_REJECTED
from agents.services.accounts import AccountPlan, add_account
from bakedbrie.lib.sealing import Secret
from bakedbrie.lib.web.words import short_reason
from workspaces.access import require_writer
from workspaces.caller import Caller
from workspaces.services.drops import consume_drop, fill_drop, prepare_drop
from workspaces.services.secrets import destroy_secret
from workspaces.states import SecretPurpose

_TYPED = "TYPED_ON_A_PAGE"  # in place of the variable that a command would read


@dataclass(frozen=True, kw_only=True)
class Connected:
    """``is_model_listed`` is None when the provider named no models."""

    account: AiAccount
    is_model_listed: bool | None


def connect_account(caller: Caller, *, plan: AccountPlan, drop_id: object) -> Connected:
    """Keep the account, or refuse and keep nothing: the key is destroyed and the drop stays used."""
    require_writer(caller)
    secret = consume_drop(caller, drop_id=drop_id, purpose=SecretPurpose.AI_ACCOUNT)
    with ExitStack() as undo:
        undo.callback(destroy_secret, secret)
        try:
            key = open_key(plan.provider, secret)
        except KeyUnusable:
            raise AI_KEY_REJECTED(reason="no key has these characters") from None
        check = probe(plan.provider, plan.base_url, key)
        if check.code is not AiCode.DONE:
            message = f"The provider does not accept this key: {short_reason(check.code.value)}."
            raise AI_KEY_REJECTED(message, reason=check.code.value)
        account = add_account(caller, plan=plan, secret=secret)
        undo.pop_all()
    return Connected(account=account, is_model_listed=None if not check.models else plan.model in check.models)


def connect_with_key(caller: Caller, *, plan: AccountPlan, key: Secret) -> Connected:
    """Do as `connect_account` with a key that a person typed: it is sealed at once, in a drop of its own."""
    with transaction.atomic():
        drop = prepare_drop(caller, kind=plan.provider.value, purpose=SecretPurpose.AI_ACCOUNT, env_var=_TYPED)
        fill_drop(caller, drop_id=drop.pk, value=key.reveal())
    return connect_account(caller, plan=plan, drop_id=drop.pk)
