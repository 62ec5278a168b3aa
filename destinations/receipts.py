"""Receipts: what may be shown of a delivery afterwards. Paths, hashes, times and codes; never a key or bytes."""

from __future__ import annotations

from collections.abc import Iterable

from bakedbrie.lib.web.words import reason_in_words
from destinations.models import DeliveryStep
from destinations.states import StepState


def newest_files(steps: Iterable[DeliveryStep]) -> list[DeliveryStep]:
    """Return what became of each file: where it arrived, else its newest try. What arrived at another place, before the
    destination was changed, is not what a later try is about."""
    newest: dict[int, DeliveryStep] = {}
    for step in sorted(steps, key=lambda one: (one.n, one.tries)):
        earlier = newest.get(step.n)
        if earlier is None or earlier.state != StepState.DONE or earlier.place != step.place:
            newest[step.n] = step
    return list(newest.values())


def message_of(code: str) -> str:
    """Return what the code of a delivery says to people; empty for one that went well."""
    if code.startswith("HTTP_"):
        return f"The service answered with status {code.removeprefix('HTTP_')}, and nothing was written."
    return reason_in_words(code)
