"""Sealing every stored secret again under the first key, so that an older key can be dropped."""

from __future__ import annotations

import logging
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from allauth.mfa.models import Authenticator
from django.db import transaction
from django.db.models import BinaryField, QuerySet
from django.db.models.functions import Substr

from bakedbrie.lib import clock, sealing
from workspaces import second_factors
from workspaces.models import SealedSecret
from workspaces.services.secrets import open_secret, seal_again

logger = logging.getLogger(__name__)

AT_ONCE = 100
_HEAD_BYTES = 34  # as far as the name of a key can reach
UNREADABLE = ""


@dataclass(frozen=True, kw_only=True)
class Shut:
    """Something that no key of SEALING_KEYS opens. ``key`` names the one that sealed it."""

    what: str
    key: str


@dataclass(frozen=True, kw_only=True)
class Batch:
    resealed: int
    shut: tuple[Shut, ...]
    last: uuid.UUID | int


def count_by_key() -> Counter[str]:
    """Say how many stored secrets each key holds, by its name; `UNREADABLE` stands for values that name none."""
    heads = SealedSecret.objects.filter(sealed__isnull=False).annotate(
        head=Substr("sealed", 1, _HEAD_BYTES, output_field=BinaryField())
    )
    names = Counter(_name_in(head) for head in heads.values_list("head", flat=True).iterator())
    names.update(_name_in(second_factors.sealed_in(factor.data)) for factor in _factors().iterator())
    return names


def reseal_secrets() -> Iterator[Batch]:
    """Seal again what another key than the first one sealed, a bounded batch in each transaction.

    Stopped at any moment it may be started anew. Whoever destroys a secret meanwhile waits for its batch, or is first:
    nothing that was destroyed comes back.
    """
    last: uuid.UUID | int = uuid.UUID(int=0)
    while batch := _reseal_after(last):
        last = batch.last
        yield batch
    last = 0
    while batch := _reseal_factors_after(last):
        last = batch.last
        yield batch


@transaction.atomic
def _reseal_after(last: uuid.UUID | int) -> Batch | None:
    rows = SealedSecret.objects.filter(sealed__isnull=False, pk__gt=last).order_by("pk")
    # The rows are locked in one order, and as they are now: a destroyed one is left out even if it was waited for.
    secrets = list(rows.select_for_update(no_key=True)[:AT_ONCE])
    if not secrets:
        return None
    resealed = 0
    shut = []
    for secret in secrets:
        try:
            resealed += _reseal(secret)
        except sealing.SealingError:
            what = f"{secret.pk} ({secret.purpose}) of workspace {secret.workspace_id}"
            shut.append(Shut(what=what, key=_name_in(secret.sealed or b"")))
    if resealed:
        logger.info("Secrets sealed again", extra={"resealed": resealed})
    return Batch(resealed=resealed, shut=tuple(shut), last=secrets[-1].pk)


def _reseal(secret: SealedSecret) -> bool:
    if not sealing.needs_resealing(secret.sealed or b""):
        return False
    sealed = seal_again(secret, open_secret(secret))
    return bool(SealedSecret.objects.filter(pk=secret.pk).update(sealed=sealed, updated_at=clock.now()))


@transaction.atomic
def _reseal_factors_after(last: uuid.UUID | int) -> Batch | None:
    """The same for what the second steps of people follow from."""
    factors = list(_factors().filter(pk__gt=last).select_for_update()[:AT_ONCE])
    if not factors:
        return None
    resealed = 0
    shut = []
    for factor in factors:
        sealed = second_factors.sealed_in(factor.data)
        try:
            if sealing.needs_resealing(sealed):
                factor.data = second_factors.resealed(factor.data)
                factor.save(update_fields=["data"])
                resealed += 1
        except sealing.SealingError:
            shut.append(Shut(what=f"{factor.pk} ({factor.type}) of account {factor.user_id}", key=_name_in(sealed)))
    return Batch(resealed=resealed, shut=tuple(shut), last=factors[-1].pk)


def _factors() -> QuerySet[Authenticator]:
    rows: QuerySet[Authenticator] = Authenticator.objects.exclude(type=Authenticator.Type.WEBAUTHN).order_by("pk")
    return rows


def _name_in(sealed: bytes | memoryview) -> str:
    try:
        return sealing.key_name(sealed)
    except sealing.Tampered:
        return UNREADABLE
