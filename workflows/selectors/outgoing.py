"""What would be delivered when a card comes to Done: exactly which files, where to, under which paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from bakedbrie.lib import clock
from bakedbrie.lib.zones import zone
from boards.contents import Content, round_contents
from boards.models import Card, Iteration
from destinations.models import Delivery, Destination
from destinations.selectors.deliveries import planned_paths
from destinations.selectors.destinations import destination_of
from destinations.services.deliveries import delivery_key
from reviews.models import Review
from reviews.selectors.folders import folder_of
from reviews.selectors.reviews import contents_of
from reviews.states import ReviewState


@dataclass(frozen=True, kw_only=True)
class Outgoing:
    """``told`` is what a preview or a decision is bound to."""

    iteration: Iteration
    destination: Destination
    contents: Sequence[Content]
    paths: Sequence[str]
    finished_on: date

    @property
    def told(self) -> dict[str, Any]:
        return {
            "id": str(self.destination.pk),
            "revision": self.destination.revision,
            "round": self.iteration.n,
            "files": [[content.name, content.sha256] for content in self.contents],
            "paths": list(self.paths),
        }

    @property
    def sentence(self) -> str:
        files = "1 file" if len(self.paths) == 1 else f"{len(self.paths)} files"
        return f"It is delivered to “{self.destination.name}”: {files}, the first as {self.paths[0]}."


def outgoing_of(
    card: Card, iteration: Iteration, contents: Sequence[Content], *, finished_at: datetime
) -> Outgoing | None:
    """Return what a delivery of these contents would be; None where the card has no destination that counts.

    ``finished_at`` tells the day in the paths, in the time zone of the workspace.
    """
    destination = destination_of(card) if contents else None
    if destination is None:
        return None
    finished_on = finished_at.astimezone(zone(card.board.workspace.time_zone)).date()
    return Outgoing(
        iteration=iteration,
        destination=destination,
        contents=contents,
        paths=planned_paths(card, contents, destination, finished_on),
        finished_on=finished_on,
    )


@dataclass(frozen=True, kw_only=True)
class OnMove:
    """What a person's own move to Done delivers; ``is_unreviewed``: nothing, because nobody approved it."""

    outgoing: Outgoing | None = None
    is_unreviewed: bool = False


def outgoing_on_move(card: Card) -> OnMove:
    """Look at the card's newest round: what was delivered or begun once is not delivered by a move again, and on a
    board with a work folder only what an approved review covers leaves."""
    iteration = card.iterations.order_by("-n").first()
    contents = round_contents(card, iteration) if iteration is not None else []
    if iteration is None or not contents:
        return OnMove()
    found = outgoing_of(card, iteration, contents, finished_at=clock.now())
    if found is None or _is_begun(card, found):
        return OnMove()
    if folder_of(card.board) is not None and not _is_approved(iteration, contents):
        return OnMove(is_unreviewed=True)
    return OnMove(outgoing=found)


def _is_begun(card: Card, found: Outgoing) -> bool:
    key = delivery_key(card, found.iteration, found.destination, found.contents)
    return Delivery.objects.filter(key=key).exists()


def _is_approved(iteration: Iteration, contents: Sequence[Content]) -> bool:
    """Whether what a person decided last in the round is an approval, and about exactly these files."""
    reviews = Review.objects.filter(iteration=iteration, decision__isnull=False)
    newest = reviews.order_by("-pk").first()
    return (
        newest is not None
        and newest.state == ReviewState.APPROVED
        and _hashes(contents_of(newest)) == _hashes(contents)
    )


def _hashes(contents: Sequence[Content]) -> list[str]:
    return [content.sha256 for content in contents]
