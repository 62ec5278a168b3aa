"""What the front page counts: turns, cards, accounts and files, of all workspaces or of each that a person owns.

A constant number of statements, however many workspaces there are.
"""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Max, Min, QuerySet, Sum, UUIDField, Value

from agents.models import AiAccount, Turn
from agents.models.turn import OUT
from agents.states import AccountState, TurnState
from bakedbrie.lib import once
from boards.models import Card, CardFile
from boards.states import Badge

Key = uuid.UUID | None  # a workspace; None stands for all of them
LATEST = 10


@dataclass(kw_only=True)
class Figures:
    """Counts of one workspace, or of all. ``unmoved`` are turns that ended while their card did not go on."""

    turns: Counter[str] = field(default_factory=Counter)
    unmoved: int = 0
    oldest_queued: datetime | None = None
    oldest_sent: datetime | None = None
    latest_unknown: datetime | None = None
    cards: Counter[str] = field(default_factory=Counter)
    accounts_away: int = 0
    files: int = 0
    stored_bytes: int = 0

    @property
    def out(self) -> int:
        return sum(self.turns[state] for state in OUT)


def count_all(only: Collection[uuid.UUID] | None) -> dict[Key, Figures]:
    """Return the figures of each workspace in ``only``, or without it those of all of them together, under None."""
    found: dict[Key, Figures] = defaultdict(Figures)
    _count_turns(found, only)
    _count_unknown(found, only)
    cards = Card.objects.filter(stage__isnull=False, badge__in=[Badge.BLOCKED, Badge.WAITING])
    for row in _grouped(cards, "board__workspace", only, "badge").annotate(n=Count("pk")):
        found[row["of"]].cards[row["badge"]] = row["n"]
    accounts = AiAccount.objects.filter(state=AccountState.UNAVAILABLE)
    for row in _grouped(accounts, "workspace", only).annotate(n=Count("pk")):
        found[row["of"]].accounts_away = row["n"]
    files = CardFile.objects.filter(removed_at__isnull=True)
    for row in _grouped(files, "card__board__workspace", only).annotate(n=Count("pk"), size=Sum("bytes")):
        found[row["of"]].files, found[row["of"]].stored_bytes = row["n"], row["size"]
    return found


def unclear_turns(only: Collection[uuid.UUID] | None) -> list[Turn]:
    """Return the newest turns whose call left and whose answer never came, with card, board and agent."""
    turns = Turn.objects.filter(state=TurnState.UNKNOWN).select_related("card__board__workspace", "agent")
    if only is not None:
        turns = turns.filter(card__board__workspace__in=only)
    return list(turns.order_by("-pk")[:LATEST])


def _count_turns(found: dict[Key, Figures], only: Collection[uuid.UUID] | None) -> None:
    rows = _grouped(Turn.objects.filter(finished_at__isnull=True), "card__board__workspace", only, "state")
    for row in rows.annotate(n=Count("pk"), made=Min("created_at"), sent=Min("sent_at")):
        figures, state = found[row["of"]], row["state"]
        figures.turns[state] += row["n"]
        if state == TurnState.QUEUED:
            figures.oldest_queued = row["made"]
        if state in OUT:
            figures.oldest_sent = min(filter(None, (figures.oldest_sent, row["sent"])), default=None)
        if state in once.SETTLED:
            figures.unmoved += row["n"]


def _count_unknown(found: dict[Key, Figures], only: Collection[uuid.UUID] | None) -> None:
    """Count the unknown turns, also those whose card went on or was blocked with them."""
    rows = _grouped(Turn.objects.filter(state=TurnState.UNKNOWN), "card__board__workspace", only)
    for row in rows.annotate(n=Count("pk"), latest=Max("settled_at")):
        found[row["of"]].turns[TurnState.UNKNOWN], found[row["of"]].latest_unknown = row["n"], row["latest"]


def _grouped(rows: QuerySet[Any], path: str, only: Collection[uuid.UUID] | None, *names: str) -> QuerySet[Any, Any]:
    """Group rows by their workspace as ``of`` and by ``names``."""
    within = rows if only is None else rows.filter(**{f"{path}__in": only})
    of = Value(None, output_field=UUIDField()) if only is None else F(path)
    grouped: QuerySet[Any, Any] = within.annotate(of=of).order_by().values("of", *names)
    return grouped
