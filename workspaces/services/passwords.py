"""Signing in by password, and how often it may be tried.

Every try counts against the network it comes from. It also counts against the account: for a browser in which this
person signed in before on its own, so that strangers who try one address all day keep nobody out, and for all other
browsers together. A try that succeeds is taken back.
"""

from __future__ import annotations

import logging

from django.contrib.auth import authenticate
from django.contrib.auth.password_validation import validate_password
from django.core import signing
from django.core.exceptions import ValidationError

from bakedbrie.lib import hashing, ids
from bakedbrie.lib.refusals import INVALID_INPUT
from workspaces.models import User
from workspaces.refusals import SIGN_IN_FAILED
from workspaces.services.tries import TRIES_PER_NETWORK, WINDOW_S, Limit, Origin, count_try, of_network, take_back

__all__ = ["TRIES_PER_ACCOUNT", "TRIES_PER_NETWORK", "WINDOW_S", "Origin", "check_password", "know_browser"]

logger = logging.getLogger(__name__)

TRIES_PER_ACCOUNT = 10

_LONGEST = 1_000


def check_password(*, email: str, password: str, origin: Origin) -> User:
    """Return who signs in. A wrong address and a wrong password are refused alike, with SIGN_IN_FAILED."""
    email = email.strip().lower()
    tries = count_try([Limit(name=f"account:{_account(email, origin)}", most=TRIES_PER_ACCOUNT), *of_network(origin)])
    if not all(0 < len(text) <= _LONGEST and "\x00" not in text for text in (email, password)):
        raise SIGN_IN_FAILED()
    user = authenticate(username=email, password=password)
    if not isinstance(user, User):
        raise SIGN_IN_FAILED()
    take_back(tries)
    return user


def change_password(user: User, password: str) -> None:
    """Set a new password. Every session of the person ends, but for one whose door renews it."""
    require_good(password, user)
    user.set_password(password)
    user.save(update_fields=["password"])
    logger.info("Password changed", extra={"user": user.pk})


def require_good(password: str, user: User) -> None:
    """Refuse a new password that is short, common or like the person's name or address."""
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise INVALID_INPUT(fields={"password": [message.rstrip(".") for message in error.messages]}) from None


def know_browser(user: User) -> str:
    """Return what a browser keeps to show that this person signed in there."""
    return _signer().sign(f"{_name(user.email)}.{ids.new_secret('')}")


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
