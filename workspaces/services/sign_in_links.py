"""Links that sign one person in, once, within the hour."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.db import transaction
from django.db.models.functions import Now

from bakedbrie.lib import ids
from workspaces.access import token_digest
from workspaces.models import SignInLink, User
from workspaces.refusals import LINK_EXPIRED

logger = logging.getLogger(__name__)

PATH = "/sign-in/link/"
LIFETIME = timedelta(hours=1)


def make_link(user: User, *, lifetime: timedelta = LIFETIME) -> str:
    """Return the path of a new link. Opening it shows a button; pressing the button signs in."""
    raw = ids.new_secret("")
    SignInLink.objects.create(user=user, digest=token_digest(raw), expires_at=Now() + lifetime)
    return f"{PATH}{raw}/"


@transaction.atomic
def use_link(raw: str) -> User:
    """Return whom the link signs in, or refuse with LINK_EXPIRED; of two at once one is refused."""
    link = SignInLink.objects.select_related("user").filter(digest=token_digest(raw)).first()
    if link is None or not link.user.is_active:
        raise LINK_EXPIRED()
    # Own columns only: a condition on the user would put all of them in a subquery, which a second one who waited
    # for this row would not look at again.
    still_open = SignInLink.objects.filter(pk=link.pk, used_at=None, expires_at__gt=Now())
    if not still_open.update(used_at=Now(), updated_at=Now()):
        raise LINK_EXPIRED()
    logger.info("Sign-in link used", extra={"user": link.user_id})
    return link.user
