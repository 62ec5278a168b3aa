"""What agents do now, what they did and what that cost, for their pages: a constant number of queries."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Prefetch, Q, QuerySet, Sum

from agents.models import Agent, ModelCall, Turn
from agents.states import TurnState
from bakedbrie.lib import clock
from boards.models import Card

RECENT = timedelta(days=30)
CARDS_NAMED = 2
_MOST_CARDS = 200
_AT_WORK = (TurnState.SENDING, TurnState.CANCEL_REQUESTED)
_IN_LINE = (TurnState.WAITING, TurnState.QUEUED)


@dataclass(frozen=True, kw_only=True)
class Activity:
    """``cards`` are the first of those it works on this moment. What `RECENT` cost is what is known of it;
    ``unknown_calls`` counts the calls whose cost is not."""

    cards: tuple[Card, ...] = ()
    working: int = 0
    waiting: int = 0
    cost_micros: int = 0
    unknown_calls: int = 0

    @property
    def more_cards(self) -> int:
        return self.working - len(self.cards)


@dataclass(frozen=True, kw_only=True)
class TurnFigures:
    """A turn's model calls together. A sum is None when one of its parts is not known."""

    model: str
    input_tokens: int | None
    output_tokens: int | None
    cost_micros: int | None
    took: timedelta | None


def activity_of(agents: Sequence[Agent]) -> dict[uuid.UUID, Activity]:
    """Return what each of the agents, which came from access, is at and cost: three queries."""
    open_turns = Turn.objects.filter(agent__in=agents, finished_at__isnull=True).order_by()
    counts = {
        row["agent"]: row
        for row in open_turns.values("agent").annotate(
            working=Count("pk", filter=Q(state__in=_AT_WORK)), waiting=Count("pk", filter=Q(state__in=_IN_LINE))
        )
    }
    cards: dict[uuid.UUID, list[Card]] = defaultdict(list)
    at_work = open_turns.filter(state__in=_AT_WORK).select_related("card").order_by("sent_at", "pk")
    for turn in at_work[:_MOST_CARDS]:
        cards[turn.agent_id].append(turn.card)
    costs = _costs_of(agents)
    return {
        agent.pk: Activity(
            cards=tuple(cards[agent.pk][:CARDS_NAMED]),
            working=counts.get(agent.pk, {}).get("working", 0),
            waiting=counts.get(agent.pk, {}).get("waiting", 0),
            cost_micros=costs.get(agent.pk, {}).get("total") or 0,
            unknown_calls=costs.get(agent.pk, {}).get("unknown", 0),
        )
        for agent in agents
    }


def turns_by(agent: Agent) -> QuerySet[Turn]:
    """Return the turns of an agent that came from access, the newest first, with card, version and calls."""
    calls = Prefetch("model_calls", ModelCall.objects.order_by("n"))
    turns = Turn.objects.filter(agent=agent).select_related("card", "version")
    return turns.prefetch_related(calls).order_by("-pk")


def figures_of(turn: Turn) -> TurnFigures:
    """Sum up a turn that came with its calls."""
    calls: list[ModelCall] = list(turn.model_calls.all())
    return TurnFigures(
        model=calls[-1].model if calls else "",
        input_tokens=_sum(call.input_tokens for call in calls),
        output_tokens=_sum(call.output_tokens for call in calls),
        cost_micros=_sum(call.cost_micros for call in calls),
        took=turn.settled_at - turn.sent_at if turn.sent_at and turn.settled_at else None,
    )


def _costs_of(agents: Sequence[Agent]) -> dict[uuid.UUID, dict[str, int]]:
    """An unknown cost counts once its turn is settled: before, it is only not known yet."""
    calls = ModelCall.objects.filter(turn__agent__in=agents, sent_at__gte=clock.now() - RECENT).order_by()
    is_unknown = Q(cost_micros__isnull=True, turn__settled_at__isnull=False)
    rows = calls.values("turn__agent").annotate(total=Sum("cost_micros"), unknown=Count("pk", filter=is_unknown))
    return {row["turn__agent"]: row for row in rows}


def _sum(parts: Iterable[int | None]) -> int | None:
    known = list(parts)
    return None if None in known else sum(part for part in known if part is not None)
