"""Agents and AI accounts, made the way the product makes them."""

from __future__ import annotations

from collections.abc import Mapping

from agents.calls.connect_account import connect_account
from agents.models import Agent, AiAccount
from agents.rules import outward_permissions
from agents.services.accounts import plan_account
from agents.services.agents import publish_agent, write_draft
from agents.states import AccountKind, Provider
from boards.models import Board
from tests.support.canary import KEY
from tests.support.fake_provider import FakeProvider
from workspaces.caller import Caller
from workspaces.models import SecretDrop
from workspaces.services.drops import fill_drop, prepare_drop
from workspaces.states import SecretPurpose

INSTRUCTIONS = "Compare what the brief names, in one short table."


def make_agent(
    caller: Caller,
    board: Board,
    *,
    name: str = "Researcher",
    instructions: str = INSTRUCTIONS,
    permissions: Mapping[str, str] | None = None,
    is_published: bool = True,
) -> Agent:
    """An agent of the board, published unless told otherwise."""
    agent = write_draft(caller, board=board, name=name, instructions=instructions, permissions=permissions)
    if not is_published:
        return agent
    return publish_agent(caller, agent=agent, confirm_outward=bool(outward_permissions(permissions or {})))


def make_drop(caller: Caller, key: str = KEY) -> SecretDrop:
    """A drop that holds a key for an AI account."""
    drop = prepare_drop(caller, kind="api_key", purpose=SecretPurpose.AI_ACCOUNT, env_var="AI_KEY")
    return fill_drop(caller, drop_id=str(drop.pk), value=key)


def make_account(
    caller: Caller,
    service: FakeProvider,
    *,
    label: str = "Bakery key",
    provider: Provider = Provider.ANTHROPIC,
    key: str = KEY,
    context_tokens: int | None = None,
    answer_tokens: int | None = None,
) -> AiAccount:
    """An account at the fake, whose address OUTBOUND_LOOPBACK must name. Its key check is no call of the fake."""
    plan = plan_account(
        label=label,
        kind=AccountKind.API_KEY,
        provider=provider,
        base_url=service.url() if provider is Provider.ANTHROPIC else service.url("/v1"),
        model=None if provider is not Provider.OPENAI_COMPATIBLE else "local-model",
        context_tokens=context_tokens,
        answer_tokens=answer_tokens,
    )
    return connect_account(caller, plan=plan, drop_id=str(make_drop(caller, key).pk)).account
