"""Commands that print what a person reads: the log keeps to what went wrong meanwhile."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError
from django.db import OperationalError, connection


@contextmanager
def quiet() -> Iterator[None]:
    """Hold back log lines below WARNING, and say in a sentence that no database answers."""
    before = logging.root.manager.disable
    logging.disable(max(before, logging.INFO))
    try:
        yield
    except OperationalError:
        if connection.connection is not None:
            raise
        raise CommandError(
            "The database cannot be reached. Is BakedBrie up (make up), with the same BAKEDBRIE_DATA as here?"
        ) from None
    finally:
        logging.disable(before)
