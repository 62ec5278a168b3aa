"""Which account pays: one binding per workspace, board or agent, and no other account instead."""

from __future__ import annotations

from django.db import transaction

from agents.access import lock_agent
from agents.models import Agent, AiAccount, AiBinding
from agents.refusals import AGENT_RETIRED, AI_ACCOUNT_UNAVAILABLE
from agents.states import AccountState, AgentState, BindingScope
from bakedbrie.lib.jobs import Job, poke
from bakedbrie.lib.refusals import NOT_FOUND
from boards.access import lock_board, require_manager
from boards.models import Board
from boards.services.events import record_event
from boards.states import EventKind
from workspaces.access import require_writer
from workspaces.caller import Caller
from workspaces.roles import Role
from workspaces.services.audit import record_audit


@transaction.atomic
def bind_account(
    caller: Caller, *, account: AiAccount, scope: BindingScope, board: Board | None = None, agent: Agent | None = None
) -> AiBinding:
    """Let an account pay from now on, and wake the turns that wait for one.

    The workspace's binding is an admin's to set, a board's or an agent's a board manager's. An agent that works
    already has to be published again (A024).
    """
    _open_target(caller, scope, board, agent, change="bound")
    if account.state != AccountState.READY:
        raise AI_ACCOUNT_UNAVAILABLE(reason=account.code or account.state)
    binding, _ = AiBinding.objects.update_or_create(
        workspace=caller.workspace,
        scope=scope,
        board=board if scope is BindingScope.BOARD else None,
        agent=agent if scope is BindingScope.AGENT else None,
        defaults={"account": account},
    )
    record_audit(caller, "ai_account.bound", **_audited(binding))
    poke(Job.WAKE_TURNS, caller.workspace.pk)
    return binding


@transaction.atomic
def unbind_account(caller: Caller, *, binding: AiBinding) -> None:
    """Let an account no longer pay for what it is bound to, by whoever may bind there.

    The next binding pays from now on: for an agent its board's, for a board the workspace's. Without one, what starts
    waits. What is in line already keeps its payer, and an agent that works has to be published again.
    """
    scope = BindingScope(binding.scope)
    _open_target(caller, scope, binding.board, binding.agent, change="unbound")
    data = _audited(binding)
    gone, _ = AiBinding.objects.filter(pk=binding.pk, account=binding.account_id).delete()
    if not gone:  # another account was bound there meanwhile, or somebody else was first
        raise NOT_FOUND()
    record_audit(caller, "ai_account.unbound", **data)
    poke(Job.WAKE_TURNS, caller.workspace.pk)


def require_binder(caller: Caller, scope: BindingScope, board: Board | None, agent: Agent | None) -> None:
    """Refuse who may not say who pays there."""
    if scope is BindingScope.AGENT and agent is not None:
        require_manager(caller, agent.board)
    elif scope is BindingScope.BOARD and board is not None:
        require_manager(caller, board)
    elif scope is BindingScope.WORKSPACE and board is None and agent is None:
        require_writer(caller, Role.ADMIN)
    else:
        raise ValueError("A binding names what its scope says.")


def _open_target(caller: Caller, scope: BindingScope, board: Board | None, agent: Agent | None, *, change: str) -> None:
    """Refuse who may not bind there, and lock what is bound."""
    require_binder(caller, scope, board, agent)
    if scope is BindingScope.AGENT and agent is not None:
        _open_agent(caller, agent, change)
    elif board is not None:
        lock_board(board)


def _open_agent(caller: Caller, agent: Agent, change: str) -> None:
    locked = lock_agent(agent)
    if locked.state == AgentState.RETIRED:
        raise AGENT_RETIRED()
    agent.needs_publish = locked.state != AgentState.DRAFT
    locked.needs_publish = agent.needs_publish
    locked.save(update_fields=["needs_publish", "updated_at"])
    record_event(
        locked.board,
        EventKind.AGENT_CHANGED,
        actor=caller.actor,
        agent=str(locked.pk),
        name=locked.name,
        change=change,
    )


def _audited(binding: AiBinding) -> dict[str, str]:
    return {
        "account": str(binding.account_id),
        "label": binding.account.label,
        "scope": binding.scope,
        "target": str(binding.agent_id or binding.board_id or binding.workspace_id),
    }
