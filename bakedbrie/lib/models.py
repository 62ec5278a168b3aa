"""Abstract bases: rows with an id and dates, and rows for something that is sent outside at most once."""

from __future__ import annotations

from django.db import models

from bakedbrie.lib import clock, ids
from bakedbrie.lib.states import CallState


class Dated(models.Model):
    """A row with a uuid7 and the times it was made and changed (UTC)."""

    id = models.UUIDField(primary_key=True, default=ids.new_id, editable=False)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        abstract = True


_STATES = [(state.value, state.value.replace("_", " ").title()) for state in CallState]


class OnceCall(Dated):
    """One call to the outside. Only `bakedbrie.lib.once` changes ``state``.

    ``attempt`` and ``lease_until`` are set by the claim; a lease is never renewed. ``code`` says what happened.
    """

    state = models.CharField(max_length=20, choices=_STATES, default=CallState.QUEUED)
    attempt = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    sent_at = models.DateTimeField(null=True, editable=False)
    settled_at = models.DateTimeField(null=True, editable=False)
    code = models.CharField(max_length=60, blank=True)

    class Meta:
        abstract = True
