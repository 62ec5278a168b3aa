"""From a person's yes to an assistant's token, and on from one text of it to the next."""

from __future__ import annotations

import uuid
from datetime import timedelta

from django.db import transaction
from oauth2_provider.models import Application, RefreshToken

from bakedbrie.lib import clock
from connecting.access import lock_by_access_token, lock_by_code, lock_by_refresh_token, was_used
from connecting.models import Consent
from connecting.rules import host_of
from workspaces.access import caller_from_member, token_digest
from workspaces.caller import Caller
from workspaces.services.assistants import (
    Access,
    connect_assistant,
    end_assistant,
    may_renew,
    renew_assistant,
    require_giveable,
)
from workspaces.states import Preset

RENEWABLE_FOR = timedelta(days=90)  # since it was last renewed


@transaction.atomic
def give_consent(caller: Caller, *, client: Application, preset: Preset, code_digest: str) -> Consent:
    """Keep what a person said yes to, until the assistant comes with the code."""
    require_giveable(caller, preset)
    Application.objects.filter(pk=client.pk).update(updated=clock.now())
    return Consent.objects.create(member=caller.member, client=client, preset=preset, code_digest=code_digest)


def hold_code(code: str, client: Application) -> Consent | None:
    """Return the consent that a code stands for, once. The second time, what came of the first ends."""
    consent = lock_by_code(token_digest(code), client)
    if consent is None or consent.token is None:
        return consent
    _end(consent, reason="code_reused")
    return None


def hold_refresh_token(raw: str, client: Application) -> Consent | None:
    """Return the consent that a refresh token came of, while it may be renewed. A used one ends what came of it all."""
    digest = token_digest(raw)
    consent = lock_by_refresh_token(digest, client)
    if consent is None or consent.token is None:
        return None
    if was_used(digest, client):
        _end(consent, reason="refresh_reused")
        return None
    return consent if may_renew(consent.token) else None


@transaction.atomic
def connect(consent: Consent, *, raw: str, lasts: timedelta, family: uuid.UUID) -> None:
    """Give the assistant its token. Refuses where its person could not give it any more."""
    label = consent.client.name or client_host(consent.client)
    consent.token = connect_assistant(
        caller_from_member(consent.member),
        label=label[:120],
        host=client_host(consent.client)[:255],
        preset=Preset(consent.preset),
        access=_access(raw, lasts),
    )
    consent.family = family
    consent.save(update_fields=["token", "family", "updated_at"])


def renew(consent: Consent, *, raw: str, lasts: timedelta) -> None:
    assert consent.token is not None, "hold_refresh_token gives none without a token."
    renew_assistant(consent.token, access=_access(raw, lasts))


@transaction.atomic
def give_back(raw: str, client: Application) -> None:
    """End what an access or refresh token belongs to, because its own client asks for it (RFC 7009)."""
    digest = token_digest(raw)
    consent = lock_by_access_token(digest, client) or lock_by_refresh_token(digest, client)
    if consent is not None:
        _end(consent, reason="given_back")


def client_host(client: Application) -> str:
    """Return whose client it is: the host of its document, else where it has people sent back to."""
    is_document = client.registration_source == Application.RegistrationSource.CIMD
    return host_of(client.client_id if is_document else client.redirect_uris.split()[0])


def _end(consent: Consent, *, reason: str) -> None:
    if consent.token is not None:
        end_assistant(caller_from_member(consent.member), token=consent.token, reason=reason)
    RefreshToken.revoke_family(consent.family)


def _access(raw: str, lasts: timedelta) -> Access:
    now = clock.now()
    return Access(raw=raw, ends_at=now + lasts, renewable_until=now + RENEWABLE_FOR)
