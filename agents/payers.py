"""Who pays for what, as people look at it: accounts with what they are bound to, and the way to the one that pays."""

from __future__ import annotations

import uuid
from collections import defaultdict
from dataclasses import dataclass

from django.db.models import Count, Prefetch, Q, QuerySet

from agents.access import bindings_of
from agents.models import Agent, AiAccount, AiBinding, Turn
from agents.selectors import accounts_with_all_spending, trouble_of
from agents.states import AgentState, BindingScope, TurnState
from boards.access import boards_of, managed_boards_of
from boards.models import Board
from workspaces.caller import Caller
from workspaces.roles import Role, is_at_least

MOST_OFFERED = 200  # boards to choose from, and agents


@dataclass(frozen=True, kw_only=True)
class Target:
    """Something that an account can be bound to. ``value`` spells it in a form."""

    scope: BindingScope
    name: str
    board_name: str = ""
    value: str


@dataclass(frozen=True, kw_only=True)
class BoardChoice:
    """A board to choose, with its agents."""

    board: Target
    agents: tuple[Target, ...]


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step on the way to the account that pays. ``account`` is None where none is bound.

    Of the steps with an account only the first one is asked; ``trouble`` says why it cannot pay.
    """

    scope: BindingScope
    name: str
    account: AiAccount | None
    is_asked: bool
    trouble: str


@dataclass(frozen=True, kw_only=True)
class Stops:
    """What goes on standing still when an account is removed: what it is bound to, as far as the caller may open it,
    how much besides, and the turns that have it for a payer and were not sent yet."""

    bindings: tuple[AiBinding, ...]
    hidden: int
    turns: int


def accounts_to_show(caller: Caller) -> QuerySet[AiAccount]:
    """Return the workspace's accounts with who added them, what they cost this month, and what they are bound to."""
    bindings = bindings_of(caller).select_related("board", "agent__board").order_by("scope", "pk")
    accounts = accounts_with_all_spending(caller).prefetch_related(None).select_related("added_by")
    return accounts.prefetch_related(Prefetch("bindings", bindings))


def name_of(binding: AiBinding) -> str:
    """Say what a binding, which came with its board or agent, is of."""
    if binding.agent is not None:
        return f"{binding.agent.name} on {binding.agent.board.name}"
    return f"the board {binding.board.name}" if binding.board is not None else "the whole workspace"


def has_workspace_payer(caller: Caller) -> bool:
    return bindings_of(caller).filter(scope=BindingScope.WORKSPACE).exists()


def way_to_payer(caller: Caller, *, board: Board, agent: Agent | None = None) -> tuple[Step, ...]:
    """Return the steps for an agent, or for any agent of a board that has none of its own: one query."""
    of_agent = Q(agent=agent) if agent is not None else Q(pk__in=[])
    found = bindings_of(caller).select_related("account").filter(of_agent | Q(board=board) | Q(scope="workspace"))
    accounts = {BindingScope(binding.scope): binding.account for binding in found}
    steps = [
        *([(BindingScope.AGENT, agent.name)] if agent is not None else []),
        (BindingScope.BOARD, board.name),
        (BindingScope.WORKSPACE, caller.workspace.name),
    ]
    asked = next((scope for scope, _ in steps if scope in accounts), None)
    return tuple(
        Step(
            scope=scope,
            name=name,
            account=accounts.get(scope),
            is_asked=scope is asked,
            trouble=trouble_of(accounts[scope], caller.workspace) if scope is asked else "",
        )
        for scope, name in steps
    )


def choices_of(caller: Caller) -> tuple[BoardChoice, ...]:
    """Return the open boards the caller may open, with their agents: two queries."""
    return _choices(boards_of(caller))


def managed_choices_of(caller: Caller) -> tuple[BoardChoice, ...]:
    """Return the open boards on which the caller may say who pays, with their agents: two queries."""
    return _choices(managed_boards_of(caller))


def may_bind_workspace(caller: Caller) -> bool:
    return is_at_least(caller.role, Role.ADMIN)


def what_stops(caller: Caller, account: AiAccount) -> Stops:
    bindings = tuple(
        bindings_of(caller).filter(account=account).select_related("board", "agent__board").order_by("scope", "pk")
    )
    waiting = Turn.objects.filter(account=account, finished_at__isnull=True, state=TurnState.QUEUED)
    total = AiBinding.objects.filter(account=account).aggregate(total=Count("pk"))["total"]
    return Stops(bindings=bindings, hidden=total - len(bindings), turns=waiting.count())


def _choices(boards: QuerySet[Board]) -> tuple[BoardChoice, ...]:
    rows = list(boards.filter(archived_at__isnull=True).order_by("name", "pk")[:MOST_OFFERED])
    agents: dict[uuid.UUID, list[Target]] = defaultdict(list)
    names = {board.pk: board.name for board in rows}
    found = Agent.objects.filter(board__in=rows).exclude(state=AgentState.RETIRED).order_by("name", "pk")
    for agent in found[:MOST_OFFERED]:
        agents[agent.board_id].append(
            Target(
                scope=BindingScope.AGENT,
                name=agent.name,
                board_name=names[agent.board_id],
                value=f"agent/{agent.pk}",
            )
        )
    return tuple(
        BoardChoice(
            board=Target(scope=BindingScope.BOARD, name=board.name, value=f"board/{board.pk}"),
            agents=tuple(agents[board.pk]),
        )
        for board in rows
    )
