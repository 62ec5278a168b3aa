"""Whether what an agent will make leaves the house, and what comes before: a review, an answer, or nothing."""

from __future__ import annotations

from dataclasses import dataclass

from agents.rules import DELIVER, verdict
from agents.selectors import may_deliver
from agents.services.approvals import has_permit
from boards.models import Card
from destinations.models import Destination
from destinations.selectors.destinations import destination_of
from workflows.selectors.rules import Chain, Link
from workflows.states import DeliversAfter, OnApproval


@dataclass(frozen=True, kw_only=True)
class Leaving:
    """``after`` is what comes before anything leaves for the destination; None where the agent may not deliver."""

    destination: Destination
    after: DeliversAfter | None
    sentence: str


def leaving_of(card: Card, chain: Chain, *, is_returned: bool = False) -> Leaving | None:
    """Look at the last agent that works on the card by itself; None where nothing of it would be delivered in Done,
    or the card has no destination.

    ``is_returned``: the first agent has this round back, which happens once; what it then makes goes on.
    """
    link = chain.links[-1] if chain.links else None
    destination = destination_of(card) if link is not None and _comes_to_done(link) else None
    if link is None or destination is None:
        return None
    is_returned = is_returned and len(chain.links) == 1
    after, sentence = _weighed(card, link, destination, is_returned=is_returned)
    return Leaving(destination=destination, after=after, sentence=sentence)


def _comes_to_done(link: Link) -> bool:
    """Whether its work reaches Done in a way that delivers: a rule may finish without. What returns to its agent does
    so once, and the second approval delivers."""
    return link.to_stage.is_done and not (link.is_reviewed and link.rule.on_approval == OnApproval.FINISH)


def _weighed(
    card: Card, link: Link, destination: Destination, *, is_returned: bool
) -> tuple[DeliversAfter | None, str]:
    """An approval is also the answer to an agent that has to ask."""
    version = link.agent.published
    if version is None or not may_deliver(version):
        return None, "Nothing is delivered: the agent may not deliver."
    said = verdict(version.permissions, DELIVER)
    if link.is_reviewed:
        comes_back = link.rule.on_approval == OnApproval.RETURN and not is_returned
        approved = "Once approved the second time" if comes_back else "Once approved"
        told = f"{approved}, what was made is delivered to “{destination.name}”"
        return DeliversAfter.REVIEW, f"{told}, and the agent asks no second time." if said == "ask" else f"{told}."
    if said == "ask" and not has_permit(link.agent, card=card, area=DELIVER, target=destination.pk):
        told = (
            f"Before anything is delivered to “{destination.name}”, the agent asks a person and waits for the answer."
        )
        return DeliversAfter.ANSWER, told
    return DeliversAfter.FINISH, f"What was made is then delivered to “{destination.name}”."
