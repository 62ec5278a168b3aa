"""How often something that only one person knows may be guessed, counted for all processes together."""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil

from bakedbrie.lib import tally
from bakedbrie.lib.refusals import RATE_LIMITED

logger = logging.getLogger(__name__)

WINDOW_S = 60
TRIES_PER_NETWORK = 60
QUESTIONS_PER_NETWORK = 60


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a try comes from: the address of the client, and the browser's proof of an earlier success."""

    ip: str = ""
    browser: str = ""


@dataclass(frozen=True, kw_only=True)
class Limit:
    """At most so many tries of this name within a window."""

    name: str
    most: int
    window_s: int = WINDOW_S


def of_network(origin: Origin) -> list[Limit]:
    """Return the limit of the network that a try comes from, where it is known."""
    network = _network(origin.ip)
    return [Limit(name=f"network:{network}", most=TRIES_PER_NETWORK)] if network else []


def questions_of_network(origin: Origin) -> list[Limit]:
    """Return how often a network may ask for the question of a passkey, each of which is kept in a session: apart from
    its tries, so that asking keeps nobody out."""
    network = _network(origin.ip)
    return [Limit(name=f"passkey-questions:{network}", most=QUESTIONS_PER_NETWORK)] if network else []


def count_try(limits: Iterable[Limit]) -> list[tally.Tally]:
    """Count a try against each limit, or refuse it with RATE_LIMITED; what succeeds is taken back."""
    tallies = []
    for limit in limits:
        counted = tally.add(f"sign-in:{limit.name}", window_s=limit.window_s)
        if counted.count > limit.most:
            logger.warning("Too many tries to sign in", extra={"limit": limit.name.partition(":")[0]})
            wait = "a minute" if limit.window_s <= WINDOW_S else "an hour"
            raise RATE_LIMITED(
                "Too many tries to sign in.",
                fix=f"Wait {wait}, then try again, or ask an operator for a one-time sign-in link.",
                retry_after_s=max(1, ceil(counted.wait_s)),
            )
        tallies.append(counted)
    return tallies


def take_back(tallies: Iterable[tally.Tally]) -> None:
    for counted in tallies:
        tally.take_back(counted)


def _network(ip: str) -> str:
    """Return the address, of IPv6 the /64: one customer has all of those."""
    try:
        address = ipaddress.ip_address(ip)
    except ValueError:
        return ""
    if address.version == 4:
        return str(address)
    return str(ipaddress.ip_network((address, 64), strict=False).network_address)
