"""Retiring an agent: refused while a rule uses it, and nothing that waits for it is left behind."""

from __future__ import annotations

from django.db import transaction

from agents.models import Agent, Turn
from agents.refusals import AGENT_IN_USE
from agents.services.agents import retire
from boards.access import lock_board, require_manager
from workflows.models import Rule
from workflows.services.canceling import cancel_unsent
from workflows.states import RuleState
from workspaces.caller import Caller


@transaction.atomic
def retire_agent(caller: Caller, *, agent: Agent) -> Agent:
    """Retire an agent for good. A turn it is at work on keeps its result; its card does not move."""
    require_manager(caller, agent.board)
    lock_board(agent.board)
    published = Rule.objects.select_related("from_stage", "agent", "to_stage").filter(
        agent=agent, state=RuleState.PUBLISHED, to_stage__isnull=False
    )
    uses = [{"kind": "rule", "id": str(rule.pk), "untrusted_data": {"name": str(rule)}} for rule in published]
    if uses:
        raise AGENT_IN_USE(details=uses)
    retired = retire(caller, agent=agent)
    cancel_unsent(caller, Turn.objects.filter(agent=agent))
    return retired
