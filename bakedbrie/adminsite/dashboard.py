"""The front page: each figure with a word on its age and a link to the rows behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

import redis
from django.http import HttpRequest
from django.template.defaultfilters import filesizeformat
from django.urls import reverse

from agents.models import Turn
from agents.states import AccountState, TurnState
from bakedbrie.adminsite.broker import queue_depths
from bakedbrie.adminsite.figures import Figures, count_all, unclear_turns
from bakedbrie.lib import clock
from bakedbrie.lib.presence import Sign, ages_s
from boards.states import Badge
from workspaces.admin_access import is_operator, owned_workspaces
from workspaces.models import Workspace

MOST_WORKSPACES = 20
LATE = timedelta(minutes=5)
SIGN_WITHIN_S = 90.0
NEVER = "not within a day"


@dataclass(frozen=True, kw_only=True)
class Tile:
    """One figure. ``is_bad`` says that somebody should look at it."""

    label: str
    value: str
    href: str
    note: str = ""
    is_bad: bool = False


@dataclass(frozen=True, kw_only=True)
class Section:
    title: str
    tiles: list[Tile]


@dataclass(frozen=True, kw_only=True)
class Dashboard:
    sections: list[Section]
    unclear: list[Turn]


def read_dashboard(request: HttpRequest) -> Dashboard:
    """Operators see the server and all workspaces together, owners each of their own."""
    now = clock.now()
    if is_operator(request):
        figures = count_all(None)
        whole = Section(title="All workspaces", tiles=[_paused(), *_work(figures.get(None, Figures()), {}, now)])
        return Dashboard(sections=[Section(title="This server", tiles=_server()), whole], unclear=unclear_turns(None))
    owned = list(owned_workspaces(request).order_by("name", "pk")[:MOST_WORKSPACES])
    keys = [workspace.pk for workspace in owned]
    figures = count_all(keys)
    sections = [
        Section(title=one.name, tiles=_work(figures.get(one.pk, Figures()), {"workspace": str(one.pk)}, now))
        for one in owned
    ]
    return Dashboard(sections=sections, unclear=unclear_turns(keys))


def _server() -> list[Tile]:
    depths = queue_depths()
    queued = _link("agents_turn", {"state__exact": TurnState.QUEUED})
    ticks = _link("django_celery_beat_periodictask", {})
    if depths is None:
        queues = [Tile(label="Queues", value="?", href=queued, note="the broker does not answer", is_bad=True)]
    else:
        hrefs = {"turns": queued}
        queues = [
            Tile(label=f"Queue {name}", value=f"{depth:,}", href=hrefs.get(name, ticks), note="rung for, not begun")
            for name, depth in depths.items()
        ]
    return [*queues, *_signs(ticks, _link("agents_turn", {"open": "out"}))]


def _signs(ticks: str, at_work: str) -> list[Tile]:
    try:
        ages = ages_s()
    except redis.RedisError:
        return [Tile(label="Worker and beat", value="?", href=ticks, note="Valkey does not answer", is_bad=True)]
    named = {"Worker": (Sign.WORKER, at_work), "Beat": (Sign.BEAT, ticks)}
    return [_sign(label, ages[sign], href) for label, (sign, href) in named.items()]


def _sign(label: str, age_s: float | None, href: str) -> Tile:
    if age_s is None:
        return Tile(label=label, value="not seen", href=href, note=NEVER, is_bad=True)
    is_late = age_s > SIGN_WITHIN_S
    value = "silent" if is_late else "at work"
    return Tile(label=label, value=value, href=href, note=f"seen {show_age(age_s)} ago", is_bad=is_late)


def _paused() -> Tile:
    count = Workspace.objects.filter(dispatch_paused=True).count()
    href = _link("workspaces_workspace", {"dispatch_paused__exact": "1"})
    return Tile(label="Paused workspaces", value=f"{count:,}", href=href)


def _work(figures: Figures, of: Mapping[str, str], now: datetime) -> list[Tile]:
    turns = figures.turns
    is_late = figures.oldest_queued is not None and now - figures.oldest_queued > LATE
    return [
        Tile(
            label="Queued turns",
            value=f"{turns[TurnState.QUEUED]:,}",
            href=_link("agents_turn", {"state__exact": TurnState.QUEUED, **of}),
            note=_age("oldest", figures.oldest_queued, now),
            is_bad=is_late,
        ),
        Tile(
            label="Sent, no answer yet",
            value=f"{figures.out:,}",
            href=_link("agents_turn", {"open": "out", **of}),
            note=_age("oldest", figures.oldest_sent, now),
        ),
        Tile(
            label="Unclear turns",
            value=f"{turns[TurnState.UNKNOWN]:,}",
            href=_link("agents_turn", {"state__exact": TurnState.UNKNOWN, **of}),
            note=_age("latest", figures.latest_unknown, now),
            is_bad=turns[TurnState.UNKNOWN] > 0,
        ),
        Tile(
            label="Ended, card not moved on",
            value=f"{figures.unmoved:,}",
            href=_link("agents_turn", {"open": "ended", **of}),
            is_bad=figures.unmoved > 0,
        ),
        Tile(
            label="Waiting turns",
            value=f"{turns[TurnState.WAITING]:,}",
            href=_link("agents_turn", {"state__exact": TurnState.WAITING, **of}),
        ),
        *_things(figures, of),
    ]


def _things(figures: Figures, of: Mapping[str, str]) -> list[Tile]:
    blocked = figures.cards[Badge.BLOCKED]
    return [
        Tile(
            label="Blocked cards",
            value=f"{blocked:,}",
            href=_link("boards_card", {"badge__exact": Badge.BLOCKED, **of}),
            is_bad=blocked > 0,
        ),
        Tile(
            label="AI accounts unavailable",
            value=f"{figures.accounts_away:,}",
            href=_link("agents_aiaccount", {"state__exact": AccountState.UNAVAILABLE, **of}),
            is_bad=figures.accounts_away > 0,
        ),
        Tile(
            label="Stored files",
            value=str(filesizeformat(figures.stored_bytes)),
            href=_link("boards_cardfile", of),
            note=f"{figures.files:,} files" if figures.files != 1 else "1 file",
        ),
    ]


def _link(page: str, query: Mapping[str, str]) -> str:
    address = reverse(f"admin:{page}_changelist")
    return f"{address}?{urlencode(query)}" if query else address


def _age(word: str, since: datetime | None, now: datetime) -> str:
    return f"{word} {show_age((now - since).total_seconds())}" if since else ""


def show_age(age_s: float) -> str:
    """Return an age as people say it, in its largest unit."""
    for unit_s, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if age_s >= unit_s:
            return f"{int(age_s // unit_s)} {unit}"
    return f"{max(0, int(age_s))} s"
