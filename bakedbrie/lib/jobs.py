"""Jobs: the names of everything a worker does, and the doorbell that rings for one row.

A job carries ids and nothing else. It is rung after the commit, and losing it loses nothing: the sweep rings again.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum

from celery import current_app
from kombu.exceptions import OperationalError

from bakedbrie.lib.after_commit import after_commit

logger = logging.getLogger(__name__)


class Job(StrEnum):
    """One value per task in ``workers/``; a test holds both together."""

    TURN_RUN = "turns.run"
    TURN_FINISH = "turns.finish"
    DELIVERY_RUN = "deliveries.run"
    DELIVERY_FINISH = "deliveries.finish"
    WAKE_TURNS = "turns.wake"
    FOLDER_STEP = "folders.step"
    FOLDER_LOOK = "folders.look"
    REVIEW_NOTICE = "reviews.notice"
    SIGN_IN_MAIL = "sign_in.mail"
    SWEEP = "sweeps.run"
    RETENTION = "retention.run"


_answering: ContextVar[tuple[Job, list[tuple[uuid.UUID, ...]]] | None] = ContextVar("answering", default=None)


def poke(job: Job, *ids: uuid.UUID) -> None:
    """Ring for one row once the transaction is committed; a rolled back change rings nothing."""
    after_commit(_ring, job, ids)


@contextmanager
def answering(job: Job) -> Iterator[list[tuple[uuid.UUID, ...]]]:
    """Collect the ids that this thread rings ``job`` for, instead of sending messages: the caller does it itself.

    One that dies before it does has lost a message and no more than that: the sweep rings.
    """
    rings: list[tuple[uuid.UUID, ...]] = []
    bound = _answering.set((job, rings))
    try:
        yield rings
    finally:
        _answering.reset(bound)


def _ring(job: Job, ids: tuple[uuid.UUID, ...]) -> None:
    answered = _answering.get()
    if answered is not None and answered[0] is job:
        answered[1].append(ids)
        return
    try:
        current_app.signature(job.value, args=tuple(str(one) for one in ids)).apply_async(retry=False)
    except OperationalError:
        logger.warning("The broker did not take a job; the sweep will ring again", extra={"job": job.value})
