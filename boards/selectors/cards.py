"""Cards in lists, and one card with what is on it. The number of queries never depends on the rows."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet

from bakedbrie.lib import ids
from bakedbrie.lib.paging import Page, page
from boards.access import cards_of, get_board, get_stage
from boards.inputs import ListCardsIn
from boards.models import Card, CardFile, Comment, Iteration, Result
from workspaces.access import require_capability
from workspaces.caller import Caller

COMMENTS_SHOWN = 50
ROUNDS_SHOWN = 20
RESULTS_SHOWN = 10


@dataclass(frozen=True, kw_only=True)
class CardParts:
    """What is on a card: the newest comments in the order they were written, the newest rounds and results first."""

    comments: list[Comment]
    comments_total: int
    files: list[CardFile]
    rounds: list[Iteration]
    results: list[Result]


def list_cards(caller: Caller, given: ListCardsIn) -> Page[Card]:
    """Return cards on boards the caller may open, or in their trash: a column's in its order, else newest first.

    Archived boards are left out unless one is asked for.
    """
    cards = cards_of(caller).filter(trashed_at__isnull=not given.in_trash).select_related("owner", "place")
    order: tuple[str, ...] = ("-id",)
    if given.board_id is not None:
        cards = cards.filter(board=get_board(caller, given.board_id))
    if given.stage_id is not None:
        stage = get_stage(caller, given.stage_id)
        cards = cards.filter(stage=stage, place__stage=stage)
        order = ("place__position", "id")
    if given.board_id is None and given.stage_id is None:
        cards = cards.filter(board__archived_at__isnull=True)
    if given.owner is not None:
        cards = cards.filter(owner=ids.parse_id(given.owner))
    if given.state is not None:
        cards = cards.filter(badge=given.state)
    return page(cards, cursor=given.cursor, limit=given.limit, order=order)


def comments_of(card: Card) -> QuerySet[Comment]:
    """Return all comments with their authors, in no order yet."""
    return Comment.objects.filter(card=card).select_related("author")


def list_comments(card: Card, *, cursor: str | None, limit: int) -> Page[Comment]:
    """Return one page of comments, newest first: one query."""
    return page(comments_of(card), cursor=cursor, limit=limit, order=("-id",))


def files_of(caller: Caller, card: Card) -> QuerySet[CardFile]:
    """Return the files of a card that were not removed, in the order they came, while files are on."""
    require_capability(caller, "media")
    files = CardFile.objects.filter(card=card, removed_at__isnull=True).select_related("added_by")
    return files.order_by("id")


def neighbours_of(file: CardFile) -> tuple[CardFile | None, CardFile | None]:
    """Return the files before and after one that came from access, in the order of its card: two queries."""
    files = CardFile.objects.filter(card=file.card_id, removed_at__isnull=True)
    before = files.filter(pk__lt=file.pk).order_by("-pk").first()
    return before, files.filter(pk__gt=file.pk).order_by("pk").first()


def latest_result(card: Card) -> Result | None:
    """Return the card's result."""
    return results_of(card).first()


def card_parts(caller: Caller, card: Card) -> CardParts:
    """Return what is on a card: five queries. While the capability media is off it shows no files."""
    comments = comments_of(card)
    return CardParts(
        comments=list(comments.order_by("-id")[:COMMENTS_SHOWN])[::-1],
        comments_total=comments.count(),
        files=list(files_of(caller, card)) if "media" in caller.capabilities else [],
        rounds=list(rounds_of(card)[:ROUNDS_SHOWN]),
        results=list(results_of(card)[:RESULTS_SHOWN]),
    )


def rounds_of(card: Card) -> QuerySet[Iteration]:
    """Return the rounds of work, the newest first, with who started them."""
    return Iteration.objects.filter(card=card).select_related("started_by").order_by("-n")


def results_of(card: Card) -> QuerySet[Result]:
    """Return what agents finished, the newest first, with who made it in which round."""
    return Result.objects.filter(card=card).select_related("made_by", "iteration").order_by("-id")
