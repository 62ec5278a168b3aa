"""Reviews that are alike: the same rule in the same column, the same thing to follow, the same kinds of files.

Only those may be approved in one go; each is still decided on by itself, under its own hash.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bakedbrie.lib.hashing import canonical_hash
from boards.models import Stage
from destinations.models import Destination
from reviews.models import Review
from reviews.selectors.reviews import list_reviews
from workflows.selectors.review_page import OPEN_SHOWN
from workflows.states import OnApproval
from workspaces.caller import Caller

MOST_TOGETHER = 10


@dataclass(kw_only=True)
class Block:
    """Reviews that stand one below the other; ``words`` say what an approval of each leads to, where all are alike."""

    lines: list[Review] = field(default_factory=list)
    words: str = ""


def shape_of(review: Review, *, following: Mapping[str, Any], kinds: Iterable[str]) -> str:
    """Return what reviews have to have in common to be alike, as a hash; ``kinds`` are the types of the files.

    The review comes with its card and with the run of its rule.
    """
    destination = following.get("destination") or {}
    common = {
        "board": str(review.board_id),
        "rule": str(review.turn.rule_run.rule_id),
        "stage": str(review.card.stage_id),
        "next": {name: value for name, value in following.items() if name != "destination"},
        "destination": [destination.get("id"), destination.get("revision")],
        "kinds": sorted(kinds),
    }
    return canonical_hash("review shape", common)


def grouped(reviews: Sequence[Review]) -> list[Block]:
    """Put what is alike together, where the first of it stands, by what the reviews say of themselves; two queries."""
    by_shape: dict[str, list[Review]] = {}
    for review in reviews:
        by_shape.setdefault(_shape(review), []).append(review)
    names = _Names([group[0] for group in by_shape.values()])
    blocks: list[Block] = []
    for group in by_shape.values():
        if len(group) > 1:
            blocks.append(Block(lines=group, words=names.words(group[0])))
        elif blocks and not blocks[-1].words:
            blocks[-1].lines += group
        else:
            blocks.append(Block(lines=[*group]))
    return blocks


def alike_reviews(caller: Caller, review: Review) -> list[Review]:
    """Return an open review that came from `reviews.access`, then the others that wait and say they are like it, the
    oldest first."""
    waiting = list_reviews(caller, board=review.board).filter(turn__rule_run__rule=review.turn.rule_run.rule_id)
    others = waiting.select_related("turn__rule_run").exclude(pk=review.pk).order_by("pk")[:OPEN_SHOWN]
    shape = _shape(review)
    return [review, *(other for other in others if _shape(other) == shape)]


def _shape(review: Review) -> str:
    return shape_of(review, following=review.next, kinds=(file.media_type for file in review.files.all()))


class _Names:
    """The columns and destinations that reviews lead to, by their ids."""

    def __init__(self, reviews: Sequence[Review]) -> None:
        stages = {review.next.get("to_stage") for review in reviews} - {None}
        destinations = {(review.next.get("destination") or {}).get("id") for review in reviews} - {None}
        self._stages = Stage.objects.in_bulk([uuid.UUID(pk) for pk in stages]) if stages else {}
        found = Destination.objects.in_bulk([uuid.UUID(pk) for pk in destinations]) if destinations else {}
        self._destinations = found

    def words(self, review: Review) -> str:
        said = review.next
        if said.get("stays"):
            return "Approved, each stays where it is."
        if said.get("action") == OnApproval.RETURN:
            return "Approved, the agent works on each once more."
        stage = self._stages.get(uuid.UUID(said["to_stage"])) if said.get("to_stage") else None
        goes = f"Approved, each moves to “{stage.name}”" if stage else "Approved, each goes on"
        destination = said.get("destination")
        if destination is None:
            return f"{goes}{', and nothing is delivered.' if stage and stage.is_done else '.'}"
        place = self._destinations.get(uuid.UUID(destination["id"]))
        return f"{goes} and is delivered to “{place.name}”." if place else f"{goes} and is delivered."
