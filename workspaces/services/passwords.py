"""Signing in by password, and how often it may be tried.

Every try counts against the network it comes from. It also counts against the account: for a browser in which this
person signed in before on its own, so that strangers who try one address all day keep nobody out, and for all other
browsers together. A try that succeeds is taken back.
"""

from __future__ import annotations

import ipaddress
import logging
from dataclasses import dataclass
from math import ceil

from django.contrib.auth import authenticate
from django.contrib.auth.password_validation import validate_password
from django.core import signing
from django.core.exceptions import ValidationError

from bakedbrie.lib import hashing, ids, tally
from bakedbrie.lib.refusals import INVALID_INPUT, RATE_LIMITED
from workspaces.models import User
from workspaces.refusals import SIGN_IN_FAILED

logger = logging.getLogger(__name__)

WINDOW_S = 60
TRIES_PER_ACCOUNT = 10
TRIES_PER_NETWORK = 60

_LONGEST = 1_000


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a try comes from: the address of the client, and the browser's proof of an earlier success."""

    ip: str = ""
    browser: str = ""


def check_password(*, email: str, password: str, origin: Origin) -> User:
    """Return who signs in. A wrong address and a wrong password are refused alike, with SIGN_IN_FAILED."""
    email = email.strip().lower()
    tallies = _count(email, origin)
    if not all(0 < len(text) <= _LONGEST and "\x00" not in text for text in (email, password)):
        raise SIGN_IN_FAILED()
    user = authenticate(username=email, password=password)
    if not isinstance(user, User):
        raise SIGN_IN_FAILED()
    for counted in tallies:
        tally.take_back(counted)
    return user


def require_good(password: str, user: User) -> None:
    """Refuse a new password that is short, common or like the person's name or address."""
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise INVALID_INPUT(fields={"password": list(error.messages)}) from None


def know_browser(user: User) -> str:
    """Return what a browser keeps to show that this person signed in there."""
    return _signer().sign(f"{_name(user.email)}.{ids.new_secret('')}")


def _count(email: str, origin: Origin) -> list[tally.Tally]:
    limits = [(f"account:{_account(email, origin)}", TRIES_PER_ACCOUNT)]
    if network := _network(origin.ip):
        limits.append((f"network:{network}", TRIES_PER_NETWORK))
    tallies = []
    for name, most in limits:
        counted = tally.add(f"sign-in:{name}", window_s=WINDOW_S)
        if counted.count > most:
            logger.warning("Too many tries to sign in", extra={"limit": name.partition(":")[0]})
            raise RATE_LIMITED(
                "Too many tries to sign in.",
                fix="Wait a minute, then try again, or ask an operator for a one-time sign-in link.",
                retry_after_s=max(1, ceil(counted.wait_s)),
            )
        tallies.append(counted)
    return tallies


def _account(email: str, origin: Origin) -> str:
    """Name the account, or the browser that this person is known to use."""
    try:
        known = _signer().unsign(origin.browser)
    except signing.BadSignature:
        return _name(email)
    return hashing.text_hash(known) if known.partition(".")[0] == _name(email) else _name(email)


def _signer() -> signing.Signer:
    return signing.Signer(salt="workspaces.known-browser")


def _name(email: str) -> str:
    return hashing.text_hash(email)


def _network(ip: str) -> str:
    """Return the address, of IPv6 the /64: one customer has all of those."""
    try:
        address = ipaddress.ip_address(ip)
    except ValueError:
        return ""
    if address.version == 4:
        return str(address)
    return str(ipaddress.ip_network((address, 64), strict=False).network_address)
