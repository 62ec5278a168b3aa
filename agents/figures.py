"""Turns of all workspaces in figures, for health, metrics and the operator: a constant number of cheap statements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, Max, Min, OuterRef
from django.db.models.functions import Now

from agents.models import AiAccount, AiBinding, Approval, Turn
from agents.states import AccountState, ApprovalState, TurnState
from bakedbrie.lib import ids

LATE_RINGS = 3  # rung for again so often, a turn has been queued for some minutes
_OUT = (TurnState.SENDING, TurnState.CANCEL_REQUESTED)


@dataclass(frozen=True, kw_only=True)
class OpenTurns:
    """Turns whose card has not gone on, by state. ``oldest_queued_s`` counts from when the turn was made."""

    by_state: Mapping[TurnState, int]
    oldest_queued_s: int
    is_late: bool

    @property
    def queued(self) -> int:
        return self.by_state.get(TurnState.QUEUED, 0)

    @property
    def out(self) -> int:
        """How many calls are with a provider now."""
        return sum(self.by_state.get(state, 0) for state in _OUT)


def open_turns() -> OpenTurns:
    rows = Turn.objects.filter(finished_at__isnull=True).values("state").order_by("state")
    found = list(rows.annotate(n=Count("pk"), oldest=Min("created_at"), rings=Max("rings"), now=Now()))
    queued = next((row for row in found if row["state"] == TurnState.QUEUED), None)
    return OpenTurns(
        by_state={TurnState(row["state"]): row["n"] for row in found},
        oldest_queued_s=max(0, int((queued["now"] - queued["oldest"]).total_seconds())) if queued else 0,
        is_late=bool(queued and queued["rings"] >= LATE_RINGS),
    )


def turns_made_since(instant: datetime) -> Mapping[TurnState, int]:
    """Return how many turns were made since then, by the state they are in now."""
    rows = Turn.objects.filter(pk__gte=ids.first_at(instant)).values("state").order_by("state")
    return {TurnState(row["state"]): row["n"] for row in rows.annotate(n=Count("pk"))}


@dataclass(frozen=True, kw_only=True)
class OpenAsks:
    """Questions of agents that nobody has answered yet."""

    count: int
    oldest_s: int


def open_asks() -> OpenAsks:
    rows = Approval.objects.filter(state=ApprovalState.PENDING)
    found = rows.aggregate(n=Count("pk"), oldest=Min("created_at"), now=Max(Now()))
    return OpenAsks(
        count=found["n"],
        oldest_s=max(0, int((found["now"] - found["oldest"]).total_seconds())) if found["n"] else 0,
    )


def unusable_accounts_in_use() -> int:
    """Return how many AI accounts are to pay for something and cannot."""
    unusable = AiAccount.objects.filter(state=AccountState.UNAVAILABLE)
    return unusable.filter(Exists(AiBinding.objects.filter(account=OuterRef("pk")))).count()
