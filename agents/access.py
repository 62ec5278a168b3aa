"""Agents, accounts and turns for a caller: an absent one, a foreign one and one without access answer alike."""

from __future__ import annotations

import uuid

from django.db.models import Q, QuerySet

from agents.models import Agent, AiAccount, AiBinding, Approval, Permit, Turn
from agents.states import AccountState, BindingScope, TurnState
from bakedbrie.lib import ids
from bakedbrie.lib.lookups import Lookup
from bakedbrie.lib.refusals import NOT_FOUND
from boards.access import boards_of
from workspaces.access import require_capability, require_reader
from workspaces.caller import Caller

# What running a turn looks at; one query brings all of it.
_RUNNING = (
    "agent__actor",
    "version",
    "account__secret",
    "card__board__workspace",
    "iteration__started_by__member__user",
)
_QUEUED = Lookup(lambda pk: Turn.objects.select_related(*_RUNNING).filter(pk=pk, state=TurnState.QUEUED))
_LOCKED = Lookup(
    lambda pk: Turn.objects.select_for_update(of=("self",), no_key=True).select_related(*_RUNNING).filter(pk=pk)
)


def get_agent(caller: Caller, agent_id: object) -> Agent:
    """Return an agent of a board the caller may open, with its board, actor and versions in use."""
    agents = Agent.objects.select_related("board__workspace", "actor", "published", "draft")
    agent = agents.filter(board__in=boards_of(caller), pk=ids.parse_id(agent_id)).first()
    if agent is None:
        raise NOT_FOUND()
    return agent


def get_account(caller: Caller, account_id: object) -> AiAccount:
    """Return an account of the caller's workspace that was not removed, with its sealed key."""
    require_reader(caller)
    accounts = AiAccount.objects.select_related("secret", "workspace").filter(workspace=caller.workspace)
    account = accounts.filter(pk=ids.parse_id(account_id)).exclude(state=AccountState.REMOVED).first()
    if account is None:
        raise NOT_FOUND()
    return account


def bindings_of(caller: Caller) -> QuerySet[AiBinding]:
    """Return the bindings of the workspace and of what is on boards the caller may open (W021)."""
    boards = boards_of(caller)
    shown = Q(scope=BindingScope.WORKSPACE) | Q(board__in=boards) | Q(agent__board__in=boards)
    return AiBinding.objects.filter(shown, workspace=caller.workspace)


def get_binding(caller: Caller, binding_id: object) -> AiBinding:
    """Return one of `bindings_of`, with its account, board and agent."""
    bindings = bindings_of(caller).select_related("account", "board", "agent__board__workspace", "agent__actor")
    binding = bindings.filter(pk=ids.parse_id(binding_id)).first()
    if binding is None:
        raise NOT_FOUND()
    return binding


def get_turn(caller: Caller, turn_id: object) -> Turn:
    """Return a turn on a card of a board the caller may open, with card, board, agent, version and payer."""
    turns = Turn.objects.select_related("card__board", "card__stage", "agent__actor", "version", "account", "iteration")
    turn = turns.filter(card__board__in=boards_of(caller), pk=ids.parse_id(turn_id)).first()
    if turn is None:
        raise NOT_FOUND()
    return turn


def approvals_of(caller: Caller) -> QuerySet[Approval]:
    """Return what agents asked on boards the caller may open, with card, agent and turn."""
    approvals = Approval.objects.select_related(
        "card__board__workspace", "agent__actor", "turn__account", "turn__iteration", "answered_by"
    )
    return approvals.filter(card__board__in=boards_of(caller))


def get_approval(caller: Caller, approval_id: object) -> Approval:
    """Return one of `approvals_of`, while agents are on."""
    require_capability(caller, "agents")
    approval = approvals_of(caller).filter(pk=ids.parse_id(approval_id)).first()
    if approval is None:
        raise NOT_FOUND()
    return approval


def get_permit(caller: Caller, permit_id: object) -> Permit:
    """Return an answer that stands for an agent of a board the caller may open, while agents are on."""
    require_capability(caller, "agents")
    permits = Permit.objects.select_related("agent__board", "card", "given_by")
    permit = permits.filter(agent__board__in=boards_of(caller), pk=ids.parse_id(permit_id)).first()
    if permit is None:
        raise NOT_FOUND()
    return permit


def lock_agent(agent: Agent) -> Agent:
    """Return the agent's newest row, locked until the transaction ends."""
    rows = Agent.objects.select_for_update(of=("self",), no_key=True)
    locked = rows.select_related("board__workspace", "actor", "published", "draft").filter(pk=agent.pk).first()
    if locked is None:  # the setup it came with was undone meanwhile
        raise NOT_FOUND()
    return locked


def lock_turn(turn_id: uuid.UUID) -> Turn:
    """Return the turn's newest row, locked until the transaction ends. A turn is locked before its card."""
    turn = _LOCKED.first(turn_id)
    if turn is None:
        raise Turn.DoesNotExist
    return turn


def find_queued(turn_id: uuid.UUID) -> Turn | None:
    """Return a queued turn with everything that running it looks at, or None: it moved on meanwhile."""
    return _QUEUED.first(turn_id)
