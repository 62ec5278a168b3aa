"""What a chain of rules leads to: in words for people, and as the data that they agree to with a hash."""

from __future__ import annotations

from typing import Any

from agents.selectors import trouble_of
from agents.services.approvals import would_ask_for_files
from agents.states import AgentState
from boards.models import Card
from workflows.selectors.rules import Chain, Link
from workflows.states import OnApproval
from workspaces.caller import Caller


def agreed(chain: Chain | None) -> list[dict[str, Any]]:
    """Return ids and versions of who works and who pays in each column: a column that is renamed is still the same.

    Whether an agent or the workspace is paused, or an account is well, is told but not agreed to.
    """
    return [_agreed(link) for link in chain.links] if chain is not None else []


def _agreed(link: Link) -> dict[str, Any]:
    return {
        "stage": str(link.stage.pk),
        "rule": str(link.rule.pk),
        "rule_version": link.rule.version,
        "agent": str(link.agent.pk),
        "agent_version": str(link.agent.published_id),
        "payer": [str(link.payer.pk), link.payer.provider, link.payer.model] if link.payer else None,
        "next": str(link.to_stage.pk),
        "review": link.is_reviewed,
    }


def chain_told(caller: Caller, card: Card, chain: Chain | None, *, is_returned: bool = False) -> list[str]:
    """Say who works where, who pays, and where the card then waits or is done; nothing about a chain without rules.

    ``is_returned``: the first agent has this round back, which happens once; what it then makes goes on.
    """
    if chain is None or not chain.links:
        return []
    told: list[str] = []
    for n, link in enumerate(chain.links):
        told += _about(caller, card, link, is_returned=is_returned and n == 0)
    return told if chain.links[-1].is_reviewed else [*told, _ending(chain)]


def _ending(chain: Chain) -> str:
    if chain.is_loop:
        return f"“{chain.end.name}” is where it was before: the rules send it around until its round is used up."
    return "There it is done." if chain.end.is_done else f"In “{chain.end.name}” it waits for a person."


def _about(caller: Caller, card: Card, link: Link, *, is_returned: bool) -> list[str]:
    version = f", version {link.agent.published.n}" if link.agent.published else ""
    told = [f"In “{link.stage.name}” the agent “{link.agent.name}”{version} works on it."]
    if link.payer is None:
        told.append("No AI account pays for this agent yet, so the card waits until one is bound.")
    else:
        told.append(f"The AI account “{link.payer.label}” ({link.payer.model}) pays.")
        if trouble_of(link.payer, caller.workspace):
            told.append("That account cannot be used at the moment, and no other one is used instead.")
    if link.agent.state == AgentState.PAUSED:
        told.append("The agent is paused, so the card waits until it is resumed.")
    if link.agent.needs_publish:
        told.append("An account was bound to the agent, so the card waits until the agent is published again.")
    if would_ask_for_files(link.agent, card=card, account=link.payer):
        told.append("It asks first whether it may read the files of the card, and waits for the answer.")
    if link.is_reviewed:
        told.append(f"What it made waits for a review. Approved, {_approved(link, is_returned=is_returned)}")
    else:
        told.append(f"When it is finished, the card moves on to “{link.to_stage.name}”.")
    return told


def _approved(link: Link, *, is_returned: bool) -> str:
    if link.rule.on_approval == OnApproval.RETURN and not is_returned:
        return "the agent works on it once more and is told so."
    if link.rule.on_approval == OnApproval.FINISH:
        return "it is done, and nothing is delivered."
    return f"the card moves on to “{link.to_stage.name}”."
