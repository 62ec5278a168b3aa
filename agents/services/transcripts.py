"""What a model writes, kept while it writes."""

from __future__ import annotations

from agents.models import Turn, TurnLine
from bakedbrie.lib import live

HINT = "turn_line"  # open pages fetch the new lines alone: nothing else on them changed


def keep_line(turn: Turn, *, seq: int, text: str) -> None:
    """Keep the next line of a turn that came with its card, and tell open pages."""
    TurnLine.objects.create(turn=turn, seq=seq, text=text)
    live.hint(turn.card.board_id, HINT, turn.card_id)
