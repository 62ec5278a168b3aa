"""Passkeys: keys that a person's devices keep, and that sign in alone, because the device asks who is there.

allauth keeps them and speaks WebAuthn; the question that a device has to answer lies in the session meanwhile.
"""

from __future__ import annotations

import logging
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.internal import auth
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet

from bakedbrie.lib import clock, strictjson
from bakedbrie.lib.refusals import NOT_FOUND
from workspaces.models import User
from workspaces.refusals import LAST_WAY_IN, PASSKEY_FAILED, PASSKEYS_FULL
from workspaces.services.tries import Origin, count_try, of_network, questions_of_network, take_back

logger = logging.getLogger(__name__)

MOST = 20
_LONGEST = 20_000
# What the reading of an answer raises that no browser made.
_UNREADABLE = (ValidationError, ValueError, TypeError, KeyError, AttributeError, LookupError)


def passkeys_of(user: User) -> QuerySet[Authenticator]:
    rows: QuerySet[Authenticator] = Authenticator.objects.filter(user=user, type=Authenticator.Type.WEBAUTHN).order_by(
        "pk"
    )
    return rows


def get_passkey(user: User, pk: int) -> Authenticator:
    found = passkeys_of(user).filter(pk=pk).first()
    if found is None:
        raise NOT_FOUND()
    return found


def begin_adding(user: User) -> dict[str, Any]:
    """Return what a browser needs to make a passkey for somebody, who may be about to get an account."""
    if passkeys_of(user).count() >= MOST:
        raise PASSKEYS_FULL()
    return _plain(auth.begin_registration(user, passwordless=True))


def add_passkey(user: User, *, name: str, answer: str) -> Authenticator:
    """Keep the passkey that a browser made for the question before. Refuses PASSKEYS_FULL, also where two browsers end
    at once."""
    credential = _read(answer)
    try:
        auth.parse_registration_response(credential)
        made = auth.complete_registration(credential)
    except _UNREADABLE:
        raise PASSKEY_FAILED() from None
    if not made.is_user_verified():
        raise PASSKEY_FAILED()
    row = _keep(user, name, credential)
    logger.info("Passkey added", extra={"user": user.pk, "passkey": row.pk})
    return row


@transaction.atomic
def _keep(user: User, name: str, credential: dict[str, Any]) -> Authenticator:
    locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if passkeys_of(locked).count() >= MOST:
        raise PASSKEYS_FULL()
    row: Authenticator = auth.WebAuthn.add(user, name, credential).instance
    return row


def begin_sign_in(*, origin: Origin) -> dict[str, Any]:
    """Return what a browser needs to ask a device for a passkey of this site, whosever it is. Refuses RATE_LIMITED."""
    count_try(questions_of_network(origin))
    return _plain(auth.begin_authentication())


def use_passkey(*, answer: str, origin: Origin) -> User:
    """Return whom a passkey signs in, or refuse with PASSKEY_FAILED."""
    tries = count_try(of_network(origin))
    credential = _read(answer)
    try:
        response = auth.parse_authentication_response(credential)
        user = auth.extract_user_from_response(credential)
        row = auth.complete_authentication(user, credential)
    except _UNREADABLE:
        raise PASSKEY_FAILED() from None
    if not (isinstance(user, User) and user.is_active and response.response.authenticator_data.is_user_verified()):
        raise PASSKEY_FAILED()
    Authenticator.objects.filter(pk=row.pk).update(last_used_at=clock.now())
    take_back(tries)
    return user


@transaction.atomic
def rename_passkey(user: User, *, passkey: Authenticator, name: str) -> None:
    row = Authenticator.objects.select_for_update().get(pk=passkey.pk, user=user)
    row.data["name"] = name
    row.save(update_fields=["data"])


@transaction.atomic
def remove_passkey(user: User, *, passkey: Authenticator) -> None:
    """Forget a passkey, unless nothing else would let the person in."""
    locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if not locked.has_usable_password() and passkeys_of(locked).count() == 1:
        raise LAST_WAY_IN()
    passkeys_of(locked).filter(pk=passkey.pk).delete()
    logger.info("Passkey removed", extra={"user": user.pk, "passkey": passkey.pk})


def _read(answer: str) -> dict[str, Any]:
    """Read an answer. It is names, flags and base64, so no browser escapes anything in it; escaped, there could be
    characters that Postgres does not keep."""
    if "\\" in answer:
        raise PASSKEY_FAILED()
    try:
        read = strictjson.loads(answer[:_LONGEST])
    except strictjson.NotJson:
        raise PASSKEY_FAILED() from None
    if not isinstance(read, dict):
        raise PASSKEY_FAILED()
    return read


def _plain(options: Any) -> dict[str, Any]:
    """Return options as JSON has them."""
    return {"publicKey": dict(options["publicKey"])}
