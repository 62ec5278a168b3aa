"""Asking for a sign-in link by mail: the answer never tells whether there is such a person."""

from __future__ import annotations

from django.conf import settings

from bakedbrie.lib import hashing
from bakedbrie.lib.jobs import Job, poke
from workspaces.models import User
from workspaces.services.tries import Limit, Origin, count_try, of_network

MAILS_PER_ADDRESS = 3
_HOUR_S = 3600


def ask_for_link(*, email: str, origin: Origin) -> None:
    """Have a link mailed to whoever has this address, three times an hour at most; RATE_LIMITED beyond that."""
    address = email.strip().lower()
    mails = Limit(name=f"mail:{hashing.text_hash(address)}", most=MAILS_PER_ADDRESS, window_s=_HOUR_S)
    count_try([mails, *of_network(origin)])
    if not settings.EMAIL_HOST or "\x00" in address:
        return
    user = User.objects.filter(email=address, is_active=True).first()
    if user is not None:
        poke(Job.SIGN_IN_MAIL, user.pk)
