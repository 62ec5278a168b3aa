"""An authenticator app of a person in tests."""

from __future__ import annotations

from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value

from bakedbrie.lib import clock
from workspaces.models import User
from workspaces.services.second_step import PERIOD_S, new_seed, turn_on
from workspaces.services.tries import Origin


def code_of_app(seed: str, later: int = 0) -> str:
    """Return what the app shows now, or so many periods later."""
    counter = int(clock.now().timestamp()) // PERIOD_S + later
    return str(format_hotp_value(hotp_value(seed, counter)))


def turned_on(user: User) -> tuple[str, list[str]]:
    """Turn the person's second step on; return what their app holds, and their recovery codes."""
    seed = new_seed()
    return seed, turn_on(user, seed=seed, code=code_of_app(seed), origin=Origin())
