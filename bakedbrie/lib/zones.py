"""Time zones by their IANA names, such as Europe/Zurich. The rules come with the tzdata package."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

UTC_NAME = "UTC"
LONGEST = 64
_AREAS = frozenset({"Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"})
_NOT_NAMES = frozenset({"Factory", "localtime"})  # what some systems list beside the names


@cache
def zone_names() -> frozenset[str]:
    return frozenset(available_timezones() - _NOT_NAMES)


def is_zone(name: str) -> bool:
    return name in zone_names()


def zone(name: str) -> ZoneInfo:
    """Return the zone of a name; UTC for one that newer rules do not have any more."""
    return ZoneInfo(name if is_zone(name) else UTC_NAME)


@cache
def zones_by_area() -> Mapping[str, tuple[str, ...]]:
    """Return what to choose from: places, by their continent or ocean. Spellings of old, such as EST, are left out."""
    by_area: dict[str, list[str]] = {}
    for name in sorted(zone_names()):
        area, _, place = name.partition("/")
        if area in _AREAS and place:
            by_area.setdefault(area, []).append(name)
    return {area: tuple(names) for area, names in by_area.items()}
