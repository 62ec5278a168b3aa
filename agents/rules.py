"""What an agent may do, and which account pays: plain data, no rows."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from agents.states import AgentState, WaitReason

DELIVER = "deliver"
AREAS: tuple[str, ...] = (
    "read_files",
    "web",
    "email",
    "other_apps",
    DELIVER,
    "create_images",
    "create_audio",
    "create_video",
)
USED: tuple[str, ...] = ("read_files", DELIVER)  # the other areas are kept for what comes: nothing acts on them yet
OUTWARD: tuple[str, ...] = ("email", "other_apps", DELIVER)
MOST_TURNS = 50  # of one round of a card, and so of each agent in it, unless it was given less


def full_permissions(given: Mapping[str, str]) -> dict[str, str]:
    """Return all eight areas; what was not given is off."""
    return {area: given.get(area, "off") for area in AREAS}


def outward_permissions(permissions: Mapping[str, str]) -> list[str]:
    """Return the areas that send outside and are not off: giving them is confirmed with the user first (A022)."""
    return [area for area in OUTWARD if permissions.get(area, "off") != "off"]


def idle_areas(permissions: Mapping[str, str]) -> list[str]:
    """Return the areas that are not off and still change nothing: whoever sets them is told so."""
    return [area for area in AREAS if verdict(permissions, area) != "off" and area not in USED]


def verdict(permissions: Mapping[str, str], area: str) -> str:
    """Return off, ask or allowed; what was never set is off."""
    return permissions.get(area, "off")


def month_of(moment: datetime) -> datetime:
    """Return when the calendar month of an instant in UTC began: a cap counts from then."""
    return moment.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def wait_reason(
    *, is_dispatch_paused: bool, agent_state: str, needs_publish: bool, has_payer: bool
) -> WaitReason | None:
    """Return why a turn of this agent would wait, or None when it may start."""
    if is_dispatch_paused:
        return WaitReason.DISPATCH_PAUSED
    if agent_state == AgentState.PAUSED:
        return WaitReason.AGENT_PAUSED
    if needs_publish:
        return WaitReason.AGENT_NOT_PUBLISHED
    return None if has_payer else WaitReason.AI_ACCOUNT_REQUIRED
