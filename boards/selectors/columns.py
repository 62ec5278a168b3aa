"""The cards of a board as its page shows them: the first ones of each column, those after them, and single ones that
changed. All may be narrowed to a text, a state and an owner. The number of queries never depends on the rows."""

from __future__ import annotations

import unicodedata
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Window
from django.db.models.functions import Coalesce, RowNumber

from boards.models import Board, Card, CardFile, CardPlace, Comment, Stage
from boards.selectors.boards import Column
from boards.states import Badge
from workspaces.models import Actor

CARDS_SHOWN = 20
MORE_CARDS = 50
NEEDS_SOMEBODY = (Badge.WAITING, Badge.BLOCKED, Badge.IN_REVIEW)


@dataclass(frozen=True, kw_only=True)
class CardFilter:
    """Cards whose title and brief together hold every word of ``text``, with this badge and this owner."""

    text: str = ""
    state: str = ""
    owner_id: uuid.UUID | None = None

    @property
    def is_on(self) -> bool:
        return bool(self.text.strip() or self.state or self.owner_id)

    def condition(self, prefix: str = "") -> Q:
        """Return it for cards, or for rows that reach them through ``prefix``."""
        found = Q()
        for word in unicodedata.normalize("NFC", self.text).split():
            found &= Q(**{f"{prefix}title__icontains": word}) | Q(**{f"{prefix}brief__icontains": word})
        if self.state:
            found &= Q(**{f"{prefix}badge": self.state})
        if self.owner_id:
            found &= Q(**{f"{prefix}owner": self.owner_id})
        return found


EVERY_CARD = CardFilter()


@dataclass(frozen=True, kw_only=True)
class MoreCards:
    """``left`` is how many come after ``cards``."""

    cards: list[Card]
    left: int


def columns_with_cards(board: Board, *, most: int = CARDS_SHOWN, given: CardFilter = EVERY_CARD) -> list[Column]:
    """Return the columns with the first ``most`` cards of each that fit, and what those hold: two queries."""
    rank = Window(RowNumber(), partition_by=F("stage"), order_by="position")
    places = CardPlace.objects.filter(given.condition("card__"), stage__board=board)
    first = places.annotate(rank=rank).filter(rank__lte=most).values("card")
    held: dict[uuid.UUID | None, list[Card]] = {}
    for card in _shown(Card.objects.filter(pk__in=first)).order_by("place__position"):
        held.setdefault(card.stage_id, []).append(card)
    return [replace(column, cards=held.get(column.stage.pk, [])) for column in counted_columns(board, given)]


def counted_columns(board: Board, given: CardFilter = EVERY_CARD) -> list[Column]:
    """Return the columns with how many cards they hold, how many of those fit, and how many of those need somebody:
    one query."""
    fits = given.condition("cards__") & Q(cards__isnull=False)
    stages = Stage.objects.filter(board=board).annotate(
        total=Count("cards"),
        found=Count("cards", filter=fits),
        needing=Count("cards", filter=fits & Q(cards__badge__in=NEEDS_SOMEBODY)),
    )
    return [
        Column(stage=stage, total=stage.total, found=stage.found, needing=stage.needing)
        for stage in stages.order_by("position")
    ]


def cards_after(stage: Stage, *, after: uuid.UUID | None, given: CardFilter = EVERY_CARD) -> MoreCards:
    """Return the cards of a column that come after one of its cards: two queries. A card that has left the column
    since means the beginning."""
    places = CardPlace.objects.filter(given.condition("card__"), stage=stage)
    if after is not None:
        last = CardPlace.objects.filter(card=after, stage=stage).values("position")
        places = places.filter(position__gt=Coalesce(Subquery(last), -(2**63)))
    shown = Card.objects.filter(pk__in=places.order_by("position").values("card")[:MORE_CARDS])
    left = places.count()
    cards = list(_shown(shown).order_by("place__position"))
    return MoreCards(cards=cards, left=max(0, left - len(cards)))


def placed_cards(board: Board, card_ids: Iterable[uuid.UUID], given: CardFilter = EVERY_CARD) -> list[Card]:
    """Return those of the cards that are in a column and fit, each with ``previous``, the card before it that fits:
    one query."""
    before = CardPlace.objects.filter(
        given.condition("card__"), stage=OuterRef("stage"), position__lt=OuterRef("place__position")
    )
    cards = Card.objects.filter(given.condition(), board=board, stage__isnull=False, pk__in=list(card_ids))
    previous = Subquery(before.order_by("-position").values("card")[:1])
    return list(_shown(cards).annotate(previous=previous).order_by("place__position"))


def owners_on(board: Board) -> list[Actor]:
    """Return who owns a card in a column of the board, by name: one query."""
    owning = Card.objects.filter(board=board, stage__isnull=False).values("owner")
    return list(Actor.objects.filter(pk__in=owning).order_by("name", "pk"))


def fits(card: Card, given: CardFilter) -> bool:
    return Card.objects.filter(given.condition(), pk=card.pk).exists()


def _shown(cards: QuerySet[Card]) -> QuerySet[Any]:
    """Add what a tile shows of each card."""
    return cards.select_related("owner").annotate(
        file_count=_count_of(CardFile.objects.filter(removed_at__isnull=True)),
        comment_count=_count_of(Comment.objects.all()),
    )


def _count_of(rows: QuerySet[Any]) -> Coalesce:
    """Count the rows of each card in a query of their own: joined, files and comments would multiply each other."""
    counts = rows.filter(card=OuterRef("pk")).order_by().values("card").annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counts), 0)
