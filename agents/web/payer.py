"""Which account pays for an agent, and why, in one sentence."""

from __future__ import annotations

from dataclasses import dataclass

from agents.models import Agent
from agents.selectors import binding_for, trouble_of
from agents.states import BindingScope
from bakedbrie.lib.web import words
from workspaces.models import Workspace

_BECAUSE = {
    BindingScope.AGENT: "because it is bound to this agent; that goes before the board’s and the workspace’s account",
    BindingScope.BOARD: "because it is bound to this board, and the agent has no account of its own",
    BindingScope.WORKSPACE: "because it is bound to the workspace; neither the agent nor its board has its own account",
}
_NOBODY = (
    "No AI account pays for this agent yet: none is bound to it, to its board or to the workspace. "
    "Its cards wait, and start by themselves once one is bound."
)


@dataclass(frozen=True, kw_only=True)
class Payer:
    """``trouble`` is empty while the account can pay."""

    label: str
    sentence: str
    trouble: str = ""


def payer_of(agent: Agent, workspace: Workspace) -> Payer:
    """Look up who pays for an agent that came with its actor: one query."""
    binding = binding_for(agent)
    if binding is None:
        return Payer(label="", sentence=_NOBODY)
    account = binding.account
    trouble = trouble_of(account, workspace)
    return Payer(
        label=account.label,
        sentence=f"“{account.label}” ({account.model}) pays, {_BECAUSE[BindingScope(binding.scope)]}.",
        trouble=words.reason_in_words(trouble) if trouble else "",
    )
