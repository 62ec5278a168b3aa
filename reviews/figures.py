"""Reviews and work folders of all workspaces in figures, for metrics and the operator: a constant number of cheap
statements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, Max, Min
from django.db.models.functions import Now

from bakedbrie.lib import ids
from bakedbrie.lib.states import CallState
from destinations.states import DestinationState
from reviews.models import Decision, FolderFile, FolderStep, Review, WorkFolder
from reviews.selectors.folders import held_steps
from reviews.services.sweep import TOLD_WITHIN
from reviews.states import FolderStorage, ReviewState, Verdict

LATE_AFTER_S = 600  # the sweep has rung for such a step many times
UNTOLD_AFTER = timedelta(minutes=5)
_UNDER_WAY = (CallState.QUEUED, CallState.SENDING)


@dataclass(frozen=True, kw_only=True)
class OpenReviews:
    """Reviews that nobody has decided yet. Of ``untold`` ones of the last hour nobody was told by mail, where mail is
    set up."""

    count: int
    oldest_s: int
    untold: int


@dataclass(frozen=True, kw_only=True)
class FolderWork:
    """Steps of work folders that are not done, and files that something stood against, by its code.

    ``oldest_queued_s`` leaves out those that wait for the end of a pause.
    """

    by_state: Mapping[CallState, int]
    oldest_queued_s: int
    failing: Mapping[str, int]

    @property
    def is_late(self) -> bool:
        return self.oldest_queued_s > LATE_AFTER_S


def open_reviews() -> OpenReviews:
    rows = Review.objects.filter(state=ReviewState.OPEN)
    found = rows.aggregate(n=Count("pk"), oldest=Min("opened_at"), now=Max(Now()))
    of_the_hour = rows.filter(opened_at__lt=Now() - UNTOLD_AFTER, opened_at__gt=Now() - TOLD_WITHIN)
    untold = of_the_hour.filter(noticed_at__isnull=True)
    return OpenReviews(
        count=found["n"],
        oldest_s=max(0, int((found["now"] - found["oldest"]).total_seconds())) if found["n"] else 0,
        untold=untold.count() if settings.EMAIL_HOST else 0,
    )


def decisions_made_since(instant: datetime) -> Mapping[Verdict, int]:
    rows = Decision.objects.filter(pk__gte=ids.first_at(instant)).values("decision").order_by("decision")
    return {Verdict(row["decision"]): row["n"] for row in rows.annotate(n=Count("pk"))}


def folder_work() -> FolderWork:
    rows = FolderStep.objects.filter(state__in=_UNDER_WAY).values("state").order_by("state")
    oldest = Min("created_at", filter=~held_steps())
    steps = list(rows.annotate(n=Count("pk"), oldest=oldest, now=Now()))
    queued = next((row for row in steps if row["state"] == CallState.QUEUED and row["oldest"]), None)
    files = FolderFile.objects.filter(is_settled=False).exclude(code="").values("code").order_by("code")
    return FolderWork(
        by_state={CallState(row["state"]): row["n"] for row in steps},
        oldest_queued_s=max(0, int((queued["now"] - queued["oldest"]).total_seconds())) if queued else 0,
        failing={row["code"]: row["n"] for row in files.annotate(n=Count("pk"))},
    )


def failing_folders() -> Mapping[str, int]:
    """Return how many work folders could not be looked into, by the code of what stood against it."""
    rows = WorkFolder.objects.exclude(code="").exclude(storage=FolderStorage.NONE).values("code").order_by("code")
    return {row["code"]: row["n"] for row in rows.annotate(n=Count("pk"))}


def folders_without_place() -> int:
    """Return how many work folders lie in a bucket whose destination is off."""
    return WorkFolder.objects.filter(storage=FolderStorage.S3, destination__state=DestinationState.OFF).count()
