"""The programs that ask: kept from their own document, or because they registered."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.db import transaction
from oauth2_provider.models import Application

from bakedbrie.lib import clock, ids, tally
from bakedbrie.lib.refusals import RATE_LIMITED
from connecting.rules import Metadata

logger = logging.getLogger(__name__)

REGISTRATIONS_PER_HOUR = 30  # from one network
REGISTRATIONS_OF_ALL_PER_HOUR = 600
MOST_UNUSED = 1000
_HOUR_S = 3600
_PUBLIC = {
    "client_type": Application.CLIENT_PUBLIC,
    "authorization_grant_type": Application.GRANT_AUTHORIZATION_CODE,
    "client_secret": "",
    "hash_client_secret": False,  # there is nothing to hash, which would cost a third of a second
}


def register_client(metadata: Metadata, *, network: str) -> Application:
    """Keep a client that registered itself. Bounded: one network makes so many in an hour, and so do all together; of
    all those that nobody ever used the oldest make room."""
    # Network first: what one was refused counts for nobody else.
    for name, most in ((network, REGISTRATIONS_PER_HOUR), ("all", REGISTRATIONS_OF_ALL_PER_HOUR)):
        tried = tally.add(f"registrations:{name}", window_s=_HOUR_S)
        if tried.count > most:
            raise RATE_LIMITED(retry_after_s=int(tried.wait_s) + 1)
    unused = Application.objects.filter(registration_source=Application.RegistrationSource.DCR, consents=None)
    for oldest in unused.order_by("-pk")[MOST_UNUSED - 1 :]:
        oldest.delete()
    client = Application.objects.create(
        client_id=ids.new_secret("bbc_"),
        name=metadata.name,
        redirect_uris=" ".join(metadata.redirect_uris),
        registration_source=Application.RegistrationSource.DCR,
        **_PUBLIC,
    )
    logger.info("Assistant registered", extra={"client": client.pk})
    return client


@transaction.atomic
def keep_document(client_id: str, metadata: Metadata, *, fresh_for: timedelta) -> Application:
    """Keep what a client's own document says, in place of what it said before."""
    said = {
        "name": metadata.name,
        "redirect_uris": " ".join(metadata.redirect_uris),
        "cimd_expires_at": clock.now() + fresh_for,
    }
    client, _ = Application.objects.update_or_create(
        client_id=client_id,
        registration_source=Application.RegistrationSource.CIMD,
        defaults=said,
        create_defaults={**said, **_PUBLIC},
    )
    return client
