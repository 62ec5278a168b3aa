"""What begins at once with a card that is added to a column, and who pays for it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Q

from agents.models import Agent, AiAccount, AiBinding
from agents.rules import wait_reason
from agents.selectors import trouble_of
from agents.states import BindingScope, WaitReason
from boards.models import Board
from workflows.selectors.boards import BoardPage
from workspaces.caller import Caller

_ONCE: Mapping[WaitReason, str] = {
    WaitReason.DISPATCH_PAUSED: "once work goes on in this workspace",
    WaitReason.AGENT_PAUSED: "once it is resumed",
    WaitReason.AGENT_NOT_PUBLISHED: "once it is published again",
    WaitReason.AI_ACCOUNT_REQUIRED: "once an AI account pays",
}


@dataclass(frozen=True, kw_only=True)
class Start:
    """``waits`` is why the agent would not begin at once, or None. ``trouble`` is why its account cannot pay now."""

    agent: str
    payer: str
    waits: WaitReason | None
    trouble: str

    @property
    def is_at_once(self) -> bool:
        return self.waits is None and not self.trouble

    @property
    def sentence(self) -> str:
        if self.waits is not None:
            return f"{self.agent} starts {_ONCE[self.waits]}."
        if self.trouble:
            return f"{self.agent} starts at once, but “{self.payer}” pays, which cannot be used at the moment."
        return f"{self.agent} starts at once; “{self.payer}” pays."


class Payers:
    """Who pays for the agents of a board: one query."""

    def __init__(self, board: Board) -> None:
        bindings = AiBinding.objects.select_related("account").filter(
            Q(agent__board=board) | Q(board=board) | Q(scope=BindingScope.WORKSPACE, workspace=board.workspace_id)
        )
        found = list(bindings)
        self._by_agent = {binding.agent_id: binding.account for binding in found if binding.agent_id}
        self._scopes = {binding.scope: binding.account for binding in found if not binding.agent_id}

    def of(self, agent: Agent) -> AiAccount | None:
        return self._by_agent.get(agent.pk) or self.of_the_board

    @property
    def of_the_board(self) -> AiAccount | None:
        return self._scopes.get(BindingScope.BOARD) or self._scopes.get(BindingScope.WORKSPACE)


def starts_on(caller: Caller, page: BoardPage) -> dict[uuid.UUID, Start]:
    """Return what starts in each column of a board that a rule works in: one query, and none without rules."""
    agents = {column.stage.pk: column.rule.agent for column in page.columns if column.rule}
    if not agents:
        return {}
    payers = Payers(page.board)
    return {stage_id: _start(caller, agent, payers.of(agent)) for stage_id, agent in agents.items()}


def _start(caller: Caller, agent: Agent, payer: AiAccount | None) -> Start:
    waits = wait_reason(
        is_dispatch_paused=caller.workspace.dispatch_paused,
        agent_state=agent.state,
        needs_publish=agent.needs_publish,
        has_payer=payer is not None,
    )
    return Start(
        agent=agent.name,
        payer=payer.label if payer else "",
        waits=waits,
        trouble=trouble_of(payer, caller.workspace) if payer else "",
    )
