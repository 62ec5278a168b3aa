"""The tools of AI accounts. A key is never shown, and comes in through a drop only."""

from __future__ import annotations

from agents.access import get_account, get_agent
from agents.calls.check_account import check_account
from agents.calls.connect_account import Connected, connect_account
from agents.inputs import BindAiAccountIn, CheckAiAccountIn, ConnectAiAccountIn, ListAiAccountsIn
from agents.selectors import accounts_with_spending
from agents.serializers import AiAccountSerializer, AiBindingSerializer, BoundAiAccountSerializer
from agents.services.accounts import plan_account
from agents.services.bindings import bind_account
from agents.services.caps import set_monthly_cap
from agents.states import AccountKind, BindingScope, Provider
from bakedbrie.lib.money import micros_from_usd
from bakedbrie.lib.toolkit.tool import Answer, Effect, Tool
from bakedbrie.lib.web.rows import show_rows
from boards.access import get_board
from workspaces.caller import Caller


def _list_ai_accounts(caller: Caller, _: ListAiAccountsIn) -> Answer:
    return {"ai_accounts": show_rows(BoundAiAccountSerializer(), accounts_with_spending(caller))}


def _connect_ai_account(caller: Caller, given: ConnectAiAccountIn) -> Answer:
    plan = plan_account(
        label=given.label,
        kind=AccountKind(given.kind),
        provider=Provider(given.provider),
        base_url=given.base_url,
        model=given.model,
        context_tokens=given.context_tokens,
        answer_tokens=given.answer_tokens,
    )
    return _shown(connect_account(caller, plan=plan, drop_id=given.credential.drop_id))


def _bind_ai_account(caller: Caller, given: BindAiAccountIn) -> Answer:
    account = get_account(caller, given.account_id)
    agent = get_agent(caller, given.scope_id) if given.scope == "agent" else None
    board = get_board(caller, given.scope_id) if given.scope == "board" else None
    if given.monthly_cap_usd is not None:
        set_monthly_cap(caller, account=account, cap_micros=micros_from_usd(given.monthly_cap_usd))
    binding = bind_account(caller, account=account, scope=BindingScope(given.scope), board=board, agent=agent)
    return {
        "binding": AiBindingSerializer(binding).data,
        "ai_account": AiAccountSerializer(account).data,
        "needs_publish": agent is not None and agent.needs_publish,
    }


def _check_ai_account(caller: Caller, given: CheckAiAccountIn) -> Answer:
    return _shown(check_account(caller, account=get_account(caller, given.account_id)))


def _shown(connected: Connected) -> Answer:
    return {
        "ai_account": AiAccountSerializer(connected.account).data,
        "is_model_listed": connected.is_model_listed,
    }


LIST_AI_ACCOUNTS = Tool[Caller](
    name="list_ai_accounts",
    title="List AI accounts",
    description=(
        "Lists the AI accounts of the workspace with what each pays for. 'trouble' names what keeps an account from "
        "running cards; empty means that it can. Keys are never shown."
    ),
    input=ListAiAccountsIn,
    handler=_list_ai_accounts,
    effect=Effect.READ,
    capabilities=("ai_accounts",),
)
CONNECT_AI_ACCOUNT = Tool[Caller](
    name="connect_ai_account",
    title="Connect an AI account",
    description=(
        "Connects the user's own key at Anthropic, OpenAI or a compatible service. First call prepare_secret with "
        "purpose ai_account and have its command run; never ask for the key itself. The key is tried once, by listing "
        "the provider's models, which costs nothing; a key that is not accepted is not kept. Afterwards bind the "
        "account with bind_ai_account: until then it pays for nothing."
    ),
    input=ConnectAiAccountIn,
    handler=_connect_ai_account,
    effect=Effect.SEND,
    capabilities=("ai_accounts",),
)
BIND_AI_ACCOUNT = Tool[Caller](
    name="bind_ai_account",
    title="Bind an AI account",
    description=(
        "Says which account pays: for the whole workspace (admins), one board or one agent (board managers). Cards "
        "that waited for an account start at once, so confirm with the user: the provider bills them. Only the bound "
        "account ever pays; there is no other one instead. After binding an agent, publish it again. "
        "monthly_cap_usd bounds what the account costs a month."
    ),
    input=BindAiAccountIn,
    handler=_bind_ai_account,
    effect=Effect.WRITE,
    capabilities=("ai_accounts",),
)
CHECK_AI_ACCOUNT = Tool[Caller](
    name="check_ai_account",
    title="Check an AI account",
    description=(
        "Asks the provider, at no cost, whether it still takes the account's key, and marks the account ready or "
        "unavailable. Use it after topping up or when cards are refused with AI_ACCOUNT_UNAVAILABLE."
    ),
    input=CheckAiAccountIn,
    handler=_check_ai_account,
    effect=Effect.SEND,
    capabilities=("ai_accounts",),
)
