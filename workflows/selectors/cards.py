"""A card with everything on it, for the page and for read_card, in a constant number of queries."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Prefetch

from agents.models import Approval, ModelCall, Turn
from agents.selectors import turns_of
from bakedbrie.lib.paging import Page
from boards.models import BoardEvent, Card, CardFile, Comment, Iteration, Result
from boards.selectors.cards import card_parts
from workflows.selectors.asks import asks_about, asks_of_turn
from workflows.selectors.boards import can_write
from workflows.selectors.history import Part, history_of
from workspaces.access import require_reader
from workspaces.caller import Caller

HISTORY_SHOWN = 50
TURNS_SHOWN = 20


@dataclass(frozen=True, kw_only=True)
class CardPage:
    """What the card page and read_card show. ``turns`` come newest first, each with its ``model_calls``; ``asks`` are
    open questions of its agents."""

    card: Card
    comments: list[Comment]
    comments_total: int
    files: list[CardFile]
    rounds: list[Iteration]
    results: list[Result]
    turns: list[Turn]
    asks: list[Approval]
    history: Page[BoardEvent]
    can_write: bool
    takes_files: bool

    @property
    def result(self) -> Result | None:
        return self.results[0] if self.results else None


def card_page(
    caller: Caller, card: Card, *, history_cursor: str | None = None, history_part: Part | None = None
) -> CardPage:
    """Read a card that came from `boards.access`: eight queries, nine where its agent asks something."""
    require_reader(caller)
    parts = card_parts(caller, card)
    return CardPage(
        card=card,
        comments=parts.comments,
        comments_total=parts.comments_total,
        files=parts.files,
        rounds=parts.rounds,
        results=parts.results,
        turns=list(turns_of(card)[:TURNS_SHOWN]),
        asks=asks_about(caller, card),
        history=history_of(card, part=history_part, cursor=history_cursor, limit=HISTORY_SHOWN),
        can_write=can_write(caller),
        takes_files="media" in caller.capabilities,
    )


def read_turn(turn: Turn) -> Turn:
    """Return a turn that came from `agents.access` or a service, as it is now, with all that is shown of it."""
    rows = Turn.objects.select_related("agent", "version", "account", "iteration")
    calls = Prefetch("model_calls", ModelCall.objects.order_by("n"))
    return rows.prefetch_related(calls, asks_of_turn()).get(pk=turn.pk)
