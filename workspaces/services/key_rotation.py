"""Sealing every stored secret again under the first key, so that an older key can be dropped."""

from __future__ import annotations

import logging
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from django.db import transaction
from django.db.models import BinaryField
from django.db.models.functions import Substr

from bakedbrie.lib import clock, sealing
from workspaces.models import SealedSecret
from workspaces.services.secrets import open_secret, seal_again

logger = logging.getLogger(__name__)

AT_ONCE = 100
_HEAD_BYTES = 34  # as far as the name of a key can reach
UNREADABLE = ""


@dataclass(frozen=True, kw_only=True)
class Shut:
    """A secret that no key of SEALING_KEYS opens. ``key`` names the one that sealed it."""

    secret: SealedSecret
    key: str


@dataclass(frozen=True, kw_only=True)
class Batch:
    resealed: int
    shut: tuple[Shut, ...]
    last: uuid.UUID


def count_by_key() -> Counter[str]:
    """Say how many stored secrets each key holds, by its name; `UNREADABLE` stands for values that name none."""
    heads = SealedSecret.objects.filter(sealed__isnull=False).annotate(
        head=Substr("sealed", 1, _HEAD_BYTES, output_field=BinaryField())
    )
    return Counter(_name_in(head) for head in heads.values_list("head", flat=True).iterator())


def reseal_secrets() -> Iterator[Batch]:
    """Seal again what another key than the first one sealed, a bounded batch in each transaction.

    Stopped at any moment it may be started anew. Whoever destroys a secret meanwhile waits for its batch, or is first:
    nothing that was destroyed comes back.
    """
    last = uuid.UUID(int=0)
    while batch := _reseal_after(last):
        last = batch.last
        yield batch


@transaction.atomic
def _reseal_after(last: uuid.UUID) -> Batch | None:
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
            shut.append(Shut(secret=secret, key=_name_in(secret.sealed or b"")))
    if resealed:
        logger.info("Secrets sealed again", extra={"resealed": resealed})
    return Batch(resealed=resealed, shut=tuple(shut), last=secrets[-1].pk)


def _reseal(secret: SealedSecret) -> bool:
    if not sealing.needs_resealing(secret.sealed or b""):
        return False
    sealed = seal_again(secret, open_secret(secret))
    return bool(SealedSecret.objects.filter(pk=secret.pk).update(sealed=sealed, updated_at=clock.now()))


def _name_in(sealed: bytes | memoryview) -> str:
    try:
        return sealing.key_name(sealed)
    except sealing.Tampered:
        return UNREADABLE
