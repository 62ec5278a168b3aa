"""What the roof reads itself: the health of the jobs, and what whoami says of the accounts."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Min, QuerySet

from agents.models import AiAccount, Turn
from agents.states import AccountState, TurnState
from workspaces.caller import Caller


def accounts_of(caller: Caller) -> QuerySet[AiAccount]:
    """Return the accounts that can pay for work in the caller's workspace; their keys are somewhere else."""
    accounts = AiAccount.objects.filter(workspace=caller.workspace).exclude(state=AccountState.REMOVED)
    return accounts.order_by("label", "pk")


def oldest_queued_at() -> datetime | None:
    """Return since when the longest waiting turn of all workspaces has been queued: workers are late if it is old."""
    queued = Turn.objects.filter(state=TurnState.QUEUED, finished_at__isnull=True)
    oldest: datetime | None = queued.aggregate(oldest=Min("created_at"))["oldest"]
    return oldest
