"""The second step after a password: a code of the person's app, or one of ten recovery codes.

allauth keeps both and knows how codes follow from their seeds. Counting tries, and taking each code once, is done here:
in rows and in Valkey, because the web runs as several processes.
"""

from __future__ import annotations

import logging
import re

from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, generate_totp_secret, hotp_value
from allauth.mfa.utils import decrypt
from django.db import transaction
from django.db.models import QuerySet

from bakedbrie.lib import clock
from workspaces.models import User
from workspaces.refusals import CODE_WRONG
from workspaces.second_factors import SealedFactors
from workspaces.services.tries import Limit, Origin, count_try, of_network, take_back

logger = logging.getLogger(__name__)

PERIOD_S = 30
TRIES_PER_MINUTE, TRIES_PER_HOUR = 10, 40  # of one account; only who passed the first step gets this far
_AROUND = (0, -1, 1)  # periods that the clocks of a phone and of ours may differ by
_SPACES = re.compile(r"[\s-]+")


def is_on(user: User) -> bool:
    return _rows(user, Authenticator.Type.TOTP).exists()


def new_seed() -> str:
    """Return what a person's app makes its codes from; it counts once `turn_on` was given a code of it."""
    seed: str = generate_totp_secret()
    return seed


def address_for_app(user: User, seed: str) -> str:
    """Return what the picture says to an app."""
    address: str = SealedFactors().build_totp_url(user, seed)
    return address


@transaction.atomic
def turn_on(user: User, *, seed: str, code: str, origin: Origin) -> list[str]:
    """Ask for the second step from now on, and return new recovery codes, which are nowhere else to be seen."""
    tries = count_try(_limits(user, origin))
    counter = _counter_of(seed, _plain(code))
    if counter is None:
        raise CODE_WRONG()
    take_back(tries)
    _lock(user)
    _rows(user, Authenticator.Type.TOTP).delete()
    factor = TOTP.activate(user, seed).instance
    factor.data["counter"] = counter
    factor.save(update_fields=["data"])
    logger.warning("Second step turned on", extra={"user": user.pk})
    return new_recovery_codes(user)


@transaction.atomic
def turn_off(user: User) -> None:
    """Forget the app and the recovery codes. Once more changes nothing."""
    _lock(user)
    _rows(user, Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES).delete()
    logger.warning("Second step turned off", extra={"user": user.pk})


@transaction.atomic
def new_recovery_codes(user: User) -> list[str]:
    """Return ten new codes; the ones before open nothing any more."""
    _lock(user)
    _rows(user, Authenticator.Type.RECOVERY_CODES).delete()
    codes: list[str] = RecoveryCodes.activate(user).generate_codes()
    return [f"{code[:4]}-{code[4:]}" for code in codes]


def recovery_codes_left(user: User) -> int:
    row = _rows(user, Authenticator.Type.RECOVERY_CODES).first()
    return len(RecoveryCodes(row).get_unused_codes()) if row else 0


def check_code(user: User, *, code: str, origin: Origin) -> None:
    """Take a code of the app or a recovery code, each once, or refuse with CODE_WRONG."""
    tries = count_try(_limits(user, origin))
    if not _take(user, _plain(code)):
        raise CODE_WRONG()
    take_back(tries)


@transaction.atomic
def _take(user: User, code: str) -> bool:
    _lock(user)
    for row in _rows(user, Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES).order_by("type"):
        if _take_from_app(row, code) if row.type == Authenticator.Type.TOTP else RecoveryCodes(row).validate_code(code):
            row.refresh_from_db(fields=["data"])
            row.record_usage()
            logger.info("Second step passed", extra={"user": user.pk, "by": row.type})
            return True
    return False


def _take_from_app(row: Authenticator, code: str) -> bool:
    """A code counts once, and none of an earlier period after it: whoever looked over a shoulder comes too late."""
    counter = _counter_of(decrypt(row.data["secret"]), code)
    if counter is None or counter <= row.data.get("counter", 0):
        return False
    row.data["counter"] = counter
    row.save(update_fields=["data"])
    return True


def _counter_of(seed: str, code: str) -> int | None:
    """Return the number of the period that a code is of, close to now."""
    now = int(clock.now().timestamp()) // PERIOD_S
    return next((now + by for by in _AROUND if code == format_hotp_value(hotp_value(seed, now + by))), None)


def _lock(user: User) -> None:
    """Let two changes of the same person's factors wait for each other."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)


def _rows(user: User, *types: Authenticator.Type) -> QuerySet[Authenticator]:
    rows: QuerySet[Authenticator] = Authenticator.objects.filter(user=user, type__in=types)
    return rows


def _limits(user: User, origin: Origin) -> list[Limit]:
    return [
        Limit(name=f"code:{user.pk}", most=TRIES_PER_MINUTE),
        Limit(name=f"code-hour:{user.pk}", most=TRIES_PER_HOUR, window_s=3600),
        *of_network(origin),
    ]


def _plain(code: str) -> str:
    return _SPACES.sub("", code)[:20]
