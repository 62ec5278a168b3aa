"""A card with everything on it, for the page and for read_card, in a constant number of queries."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Prefetch

from agents.models import ModelCall, Turn
from bakedbrie.lib.paging import Page, page
from boards.access import is_manager
from boards.models import BoardEvent, Card, CardFile, Comment, Result, Stage
from workflows.selectors.boards import can_write
from workspaces.access import require_reader
from workspaces.caller import Caller

HISTORY_SHOWN = 50
COMMENTS_SHOWN = 200
TURNS_SHOWN = 50


@dataclass(frozen=True, kw_only=True)
class CardPage:
    """What the card page and read_card show; comments, turns and history are the newest ones.

    ``turns`` come newest first, each with its ``model_calls``; ``running`` is the one that holds the card.
    """

    card: Card
    stages: tuple[Stage, ...]
    comments: tuple[Comment, ...]
    files: tuple[CardFile, ...]
    result: Result | None
    turns: tuple[Turn, ...]
    history: Page[BoardEvent]
    can_write: bool
    can_manage: bool

    @property
    def running(self) -> Turn | None:
        return next((turn for turn in self.turns if turn.finished_at is None), None)


def card_page(caller: Caller, card: Card, *, history_cursor: str | None = None) -> CardPage:
    """Read a card that came from `boards.access`."""
    require_reader(caller)
    comments = Comment.objects.filter(card=card).select_related("author").order_by("-pk")[:COMMENTS_SHOWN]
    files = CardFile.objects.filter(card=card, removed_at__isnull=True).select_related("added_by").order_by("pk")
    return CardPage(
        card=card,
        stages=tuple(Stage.objects.filter(board=card.board_id).order_by("position")),
        comments=tuple(reversed(comments)),
        files=tuple(files),
        result=Result.objects.filter(card=card).select_related("made_by", "iteration").order_by("-pk").first(),
        turns=tuple(turns_of(card)),
        history=history_of(card, cursor=history_cursor),
        can_write=can_write(caller),
        can_manage=can_write(caller) and is_manager(caller, card.board),
    )


def turns_of(card: Card) -> list[Turn]:
    """Return the card's newest turns with agent version, payer, round and model calls."""
    calls = Prefetch("model_calls", ModelCall.objects.order_by("n"))
    rows = Turn.objects.filter(card=card).select_related("agent", "version", "account", "iteration")
    return list(rows.prefetch_related(calls).order_by("-pk")[:TURNS_SHOWN])


def history_of(card: Card, *, cursor: str | None = None) -> Page[BoardEvent]:
    """Return one page of what happened to the card, newest first."""
    events = BoardEvent.objects.filter(card=card).select_related("actor")
    return page(events, cursor=cursor, limit=HISTORY_SHOWN, order=("-id",))
