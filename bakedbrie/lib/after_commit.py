"""Work that follows a commit, and harms nothing when it fails: the change stands either way."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, update_wrapper

from django.db import transaction


def after_commit(call: Callable[..., None], *args: object) -> None:
    """Make the call once the transaction is committed; a change that is rolled back makes none.

    An error of the call is logged, and what else waits for the commit still happens.
    """
    # Django logs a failed call by its __qualname__, which a partial lacks: without it the log line itself would raise.
    transaction.on_commit(update_wrapper(partial(call, *args), call), robust=True)
