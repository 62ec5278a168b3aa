"""At most once: the guarded updates that claim, settle and give up on a `OnceCall` row.

claim   one UPDATE, queued -> sending, with a lease on the database's clock; no row changed means somebody else has it
settle  one UPDATE, matched by id and attempt; a late true answer heals an ``unknown``
expire  sending past its lease -> unknown; nothing ever goes back to queued
"""

from __future__ import annotations

import uuid
from collections.abc import Collection
from datetime import timedelta
from typing import Any, TypeVar

from django.db.models import F
from django.db.models.functions import Now

from bakedbrie.lib.models import OnceCall
from bakedbrie.lib.states import CallState

CallT = TypeVar("CallT", bound=OnceCall)

LEASE_MARGIN = timedelta(seconds=60)
UNSENT = frozenset({CallState.WAITING, CallState.QUEUED})
SETTLED = frozenset({CallState.DONE, CallState.REFUSED, CallState.FAILED, CallState.UNKNOWN, CallState.CANCELED})
OUT = frozenset({CallState.SENDING, CallState.CANCEL_REQUESTED})


class LostRace(Exception):
    """No row was in the expected state: another process was first, or the call is over."""


def claim(model: type[CallT], pk: uuid.UUID, *, deadline: timedelta, **fields: Any) -> uuid.UUID:
    """Take one queued row and return the attempt that may settle it, or raise `LostRace`.

    ``deadline`` bounds the whole exchange; the lease is always longer than it.
    """
    attempt = uuid.uuid4()
    taken = model._default_manager.filter(pk=pk, state=CallState.QUEUED).update(
        state=CallState.SENDING,
        attempt=attempt,
        sent_at=Now(),
        lease_until=Now() + deadline + LEASE_MARGIN,
        updated_at=Now(),
        **fields,
    )
    if not taken:
        raise LostRace(f"{model.__name__} {pk}")
    return attempt


def settle(
    model: type[CallT],
    pk: uuid.UUID,
    attempt: uuid.UUID,
    to: CallState,
    *,
    from_: Collection[CallState] | None = None,
    **fields: Any,
) -> None:
    """Write the end of one attempt, or raise `LostRace` when it was settled already or taken by another attempt.

    A row that the sweep named unknown may still be healed by the true answer of the same attempt, unless ``from_``
    names the states that the row may be in.
    """
    open_states = from_ or (OUT if to == CallState.UNKNOWN else OUT | {CallState.UNKNOWN})
    changed = model._default_manager.filter(pk=pk, attempt=attempt, state__in=open_states).update(
        state=to, settled_at=Now(), updated_at=Now(), **fields
    )
    if not changed:
        raise LostRace(f"{model.__name__} {pk}")


def move(
    model: type[CallT], pk: uuid.UUID, *, from_: CallState | Collection[CallState], to: CallState, **fields: Any
) -> None:
    """Move a row that nothing was sent for, or ask a sent one to stop; raise `LostRace` when it moved on meanwhile.

    ``from_`` is the state, or the states, that it may be in.
    """
    sources = [from_] if isinstance(from_, CallState) else from_
    ended = {"settled_at": Now()} if to in SETTLED else {}
    changed = model._default_manager.filter(pk=pk, state__in=sources).update(
        state=to, updated_at=Now(), **{**ended, **fields}
    )
    if not changed:
        raise LostRace(f"{model.__name__} {pk}")


def expired(model: type[CallT], limit: int = 200) -> list[tuple[uuid.UUID, uuid.UUID]]:
    """Return (id, attempt) of rows whose lease ran out, oldest first: their outcome is unknown."""
    rows = model._default_manager.filter(state__in=OUT, lease_until__lt=Now(), attempt__isnull=False)
    return list(rows.order_by(F("lease_until")).values_list("pk", "attempt")[:limit])
