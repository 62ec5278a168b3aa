"""What templates say in words: badges, reasons, money, sizes, ages and Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from bakedbrie.lib import clock, ids
from bakedbrie.lib.money import show_usd
from bakedbrie.lib.refusals import Refusal, Refused
from bakedbrie.lib.web import words
from bakedbrie.lib.web.markdown import render_markdown
from bakedbrie.lib.web.preferences import preference as preference_of

register = template.Library()

_SIZES = (("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000))
_AGES = (
    ("year", timedelta(days=365)),
    ("month", timedelta(days=30)),
    ("day", timedelta(days=1)),
    ("hour", timedelta(hours=1)),
    ("minute", timedelta(minutes=1)),
)
_SHORT = {"year": "y", "month": "mo", "day": "d", "hour": "h", "minute": "min"}


@register.filter
def markdown(text: str) -> SafeString:
    """Render Markdown; `bakedbrie.lib.web.markdown` has cleaned what comes back."""
    return mark_safe(render_markdown(text))


@register.filter
def money(micros: int | None) -> str:
    return "unknown" if micros is None else show_usd(micros)


@register.filter
def tokens(count: int | None) -> str:
    return "unknown" if count is None else f"{count:,}"


@register.filter
def size(count: int) -> str:
    """Return a file size such as ``1.4 MB``."""
    for unit, least in _SIZES:
        if count >= least:
            return f"{count / least:.1f}".removesuffix(".0") + f" {unit}"
    return "1 byte" if count == 1 else f"{count} bytes"


@register.filter
def seconds(passed: timedelta | None) -> str:
    """Return how long something took, such as ``42 s`` or ``3 min 5 s``; nothing for what is not over."""
    if passed is None:
        return ""
    minutes, rest = divmod(max(0, round(passed.total_seconds())), 60)
    if minutes == 0:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def age(instant: datetime, now: datetime) -> str:
    """Return how long ago ``instant`` was, in the largest unit that fits."""
    count, unit = _in_largest_unit(now - instant)
    return f"{count} {unit}{'' if count == 1 else 's'} ago" if count else "just now"


def _in_largest_unit(passed: timedelta) -> tuple[int, str]:
    """Return how often the largest unit that fits goes into a time; 0 of none below a minute."""
    return next(((passed // length, unit) for unit, length in _AGES if passed >= length), (0, ""))


@register.simple_tag
def ago(instant: datetime) -> SafeString:
    """Render ``<time>``: the age to read, the exact instant on hover and for machines."""
    return _time(instant, age(instant, clock.now()))


@register.simple_tag
def ago_short(instant: datetime) -> SafeString:
    """Render ``<time>`` where there is little room: 5 min, 3 h, 2 d, 4 mo, 1 y, or now."""
    count, unit = _in_largest_unit(clock.now() - instant)
    return _time(instant, f"{count} {_SHORT[unit]}" if count else "now", mark=mark_safe(" data-short"))


def _time(instant: datetime, text: str, mark: str = "") -> SafeString:
    exact = (clock.to_text(instant), exactly(instant))
    return format_html('<time{} datetime="{}" title="{}">{}</time>', mark, *exact, text)


@register.filter
def exactly(instant: datetime) -> str:
    """Return the instant in the time zone of the workspace, which `workspaces.web.session` has activated."""
    return clock.in_words(instant, timezone.get_current_timezone())


@register.filter
def badge_label(badge: str) -> str:
    return words.BADGES.get(badge, badge)


@register.filter
def turn_label(state: str) -> str:
    return words.TURN_STATES.get(state, state)


@register.filter
def turn_badge(state: str) -> str:
    return words.TURN_BADGES.get(state, "idle")


@register.filter
def delivery_label(state: str) -> str:
    return words.DELIVERY_STATES.get(state, state)


@register.filter
def delivery_badge(state: str) -> str:
    return words.DELIVERY_BADGES.get(state, "idle")


@register.filter
def review_label(state: str) -> str:
    return words.REVIEW_STATES.get(state, state)


@register.filter
def agent_label(state: str) -> str:
    return words.AGENT_STATES.get(state, state)


@register.filter
def agent_badge(state: str) -> str:
    return words.AGENT_BADGES.get(state, "idle")


@register.filter
def area_label(area: str) -> str:
    return words.AREAS[area][0] if area in words.AREAS else area


@register.filter
def reason(code: str) -> str:
    return words.reason_in_words(code)


@register.filter
def note(about: Mapping[str, object]) -> str:
    return words.note_in_words(about)


@register.filter
def reason_label(code: str) -> str:
    return words.short_reason(code)


@register.filter
def fix(refused: Refused | Refusal) -> str:
    return words.fix_for_people(refused)


@register.filter
def initials(name: str) -> str:
    """Return one or two letters for an avatar."""
    parts = [part for part in name.split() if part[0].isalnum()]
    return "".join(part[0] for part in (parts[:1] + parts[1:][-1:])).upper() or "?"


@register.filter
def with_article(role: str) -> str:
    """Return a role as one says it: “an owner”, “a viewer”."""
    return f"{'an' if role[:1] in 'aeiou' else 'a'} {role}"


@register.simple_tag
def new_request_id() -> str:
    """Return the id of a form on the page: sent twice, it acts once."""
    return str(ids.new_id())


@register.simple_tag(takes_context=True)
def preference(context: template.Context, name: str) -> str:
    """Return what the reader's browser remembers under ``name``, such as its theme."""
    return preference_of(context.get("request"), name)
