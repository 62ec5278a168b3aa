"""A card at a glance, for the panel beside the board."""

from __future__ import annotations

from dataclasses import dataclass

from agents.models import Turn
from boards.models import Card, CardFile, Result
from boards.selectors.cards import comments_of, files_of, latest_result
from workspaces.access import require_reader
from workspaces.caller import Caller

FILES_SHOWN = 20


@dataclass(frozen=True, kw_only=True)
class Peek:
    """``turn`` is the newest one. While the capability media is off it shows no files."""

    card: Card
    result: Result | None
    turn: Turn | None
    files: list[CardFile]
    comments: int


def peek_at(caller: Caller, card: Card) -> Peek:
    """Read a card that came from `boards.access`: four queries."""
    require_reader(caller)
    return Peek(
        card=card,
        result=latest_result(card),
        turn=Turn.objects.select_related("agent").filter(card=card).order_by("-pk").first(),
        files=list(files_of(caller, card)[:FILES_SHOWN]) if "media" in caller.capabilities else [],
        comments=comments_of(card).count(),
    )
