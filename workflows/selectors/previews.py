"""What a move would start, as data and as sentences, and the hash that stands for exactly that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agents.rules import wait_reason
from agents.selectors import trouble_of
from bakedbrie.lib.hashing import canonical_hash
from boards.models import Card, Stage
from reviews.selectors.folders import folder_of
from reviews.selectors.reviews import open_review_of
from workflows.selectors.chains import agreed, chain_told
from workflows.selectors.leaving import Leaving, leaving_of
from workflows.selectors.outgoing import OnMove, Outgoing, outgoing_on_move
from workflows.selectors.rules import Chain, Link, chain_from
from workflows.states import DeliversAfter
from workspaces.caller import Caller

CLOSES = "The review that the card waits in is closed without a decision."


@dataclass(frozen=True, kw_only=True)
class MovePreview:
    """``consequences`` are shown to people; ``preview_hash`` is what move_card takes.

    ``first`` is what would start, ``outgoing`` what the move itself would have delivered. ``is_unreviewed``: nothing is
    delivered, because nobody approved what was made.
    """

    consequences: dict[str, Any]
    preview_hash: str
    first: Link | None
    outgoing: Outgoing | None = None
    is_unreviewed: bool = False

    @property
    def starts_something(self) -> bool:
        """Whether anything happens but that the card is somewhere else, or stays undone that a person may expect."""
        happens = ("steps", "closes_review", "delivers_to")
        return self.is_unreviewed or any(self.consequences[name] for name in happens)


def preview_of(caller: Caller, *, card: Card, stage: Stage) -> MovePreview:
    """Look at the card, the rules, the agents and the payers as they are now."""
    waiting = open_review_of(card)
    chain = chain_from(stage, has_reviews=folder_of(stage.board) is not None)
    by_hand = outgoing_on_move(card) if stage.is_done else OnMove()
    leaving = leaving_of(card, chain)
    steps = [_step(caller, link) for link in chain.links]
    consequences = {
        "card_id": str(card.pk),
        "card_revision": card.revision,
        "from_stage": _stage(card.stage) if card.stage else None,
        "to_stage": _stage(stage),
        "steps": steps,
        "is_loop": chain.is_loop,
        "ends_in": _stage(chain.end),
        "closes_review": str(waiting.pk) if waiting else None,
        **_delivers(by_hand, leaving),
        "dispatch_paused": caller.workspace.dispatch_paused,
        "sentences": [
            *([CLOSES] if waiting else []),
            *_sentences(caller, card, stage, chain),
            *_delivery_sentences(by_hand, leaving),
        ],
    }
    first = chain.links[0] if chain.links else None
    leads_to = {
        "closes_review": str(waiting.pk) if waiting else None,
        "delivers": by_hand.outgoing.told if by_hand.outgoing else None,
        "is_unreviewed": by_hand.is_unreviewed,
        "destination": [str(leaving.destination.pk), leaving.destination.revision] if leaving else None,
    }
    preview_hash = _hash(caller, card, stage, chain, leads_to)
    return MovePreview(
        consequences=consequences,
        preview_hash=preview_hash,
        first=first,
        outgoing=by_hand.outgoing,
        is_unreviewed=by_hand.is_unreviewed,
    )


def _delivers(by_hand: OnMove, leaving: Leaving | None) -> dict[str, Any]:
    """Return where what was made goes, and after what; with a person's own move it goes at once."""
    after = DeliversAfter.MOVE if by_hand.outgoing else leaving and leaving.after
    destination = by_hand.outgoing.destination if by_hand.outgoing else leaving and leaving.destination
    to = {"id": str(destination.pk), "name": destination.name} if destination and after else None
    return {"delivers_to": to, "delivers_after": after}


def _delivery_sentences(by_hand: OnMove, leaving: Leaving | None) -> list[str]:
    if by_hand.is_unreviewed:
        return ["Nothing is delivered: nobody has approved what was made."]
    if by_hand.outgoing is not None:
        return [by_hand.outgoing.sentence]
    return [leaving.sentence] if leaving else []


def _hash(caller: Caller, card: Card, stage: Stage, chain: Chain, leads_to: dict[str, Any]) -> str:
    """Bind the move to who asked, to the card's revision, and to who works and who pays in each column.

    Whether an agent or the workspace is paused, or an account is well, is shown but not hashed. It has no age: while
    nothing changed it stays true.
    """
    return canonical_hash(
        "move",
        {
            "subject": str(caller.subject),
            "card": str(card.pk),
            "revision": card.revision,
            "from": str(card.stage_id),
            "to": str(stage.pk),
            **leads_to,
            "chain": agreed(chain),
        },
    )


def _step(caller: Caller, link: Link) -> dict[str, Any]:
    version, payer = link.agent.published, link.payer
    return {
        "stage": _stage(link.stage),
        "rule": {"id": str(link.rule.pk), "version": link.rule.version},
        "agent": {
            "id": str(link.agent.pk),
            "name": link.agent.name,
            "version": version.n if version else None,
            "state": link.agent.state,
        },
        "pays": payer
        and {
            "id": str(payer.pk),
            "label": payer.label,
            "provider": payer.provider,
            "model": payer.model,
            "trouble": trouble_of(payer, caller.workspace) or None,
        },
        "waits_for": _waits_for(caller, link),
        "is_reviewed": link.is_reviewed,
        "then_stage": _stage(link.to_stage),
    }


def _waits_for(caller: Caller, link: Link) -> str | None:
    return wait_reason(
        is_dispatch_paused=caller.workspace.dispatch_paused,
        agent_state=link.agent.state,
        needs_publish=link.agent.needs_publish,
        has_payer=link.payer is not None,
    )


def _stage(stage: Stage) -> dict[str, str]:
    return {"id": str(stage.pk), "name": stage.name}


def _sentences(caller: Caller, card: Card, stage: Stage, chain: Chain) -> list[str]:
    if not chain.links:
        ending = " and is done" if stage.is_done else "; no rule starts there, so nothing else happens"
        return [f"The card moves to “{stage.name}”{ending}."]
    told = [f"The card moves to “{stage.name}”.", *chain_told(caller, card, chain)]
    if caller.workspace.dispatch_paused:
        told.append("Work is paused in this workspace: the card waits until an owner or admin resumes it.")
    return told
