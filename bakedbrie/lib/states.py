"""State machines as data: which state may follow which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

S = TypeVar("S", bound=StrEnum)


class CallState(StrEnum):
    """The states of anything sent outside. ``unknown``: it left, and no answer was kept."""

    WAITING = "waiting"
    QUEUED = "queued"
    SENDING = "sending"
    CANCEL_REQUESTED = "cancel_requested"
    DONE = "done"
    REFUSED = "refused"
    FAILED = "failed"
    UNKNOWN = "unknown"
    CANCELED = "canceled"


@dataclass(frozen=True)
class Machine(Generic[S]):
    """The allowed transitions of one kind of row."""

    transitions: Mapping[S, frozenset[S]]

    def allows(self, source: S, target: S) -> bool:
        return target in self.transitions[source]


def machine(table: Mapping[S, Iterable[S]]) -> Machine[S]:
    """Build a machine from a table, refusing a target that has no row of its own."""
    unknown = {target for targets in table.values() for target in targets} - set(table)
    if unknown:
        raise ValueError(f"States without a row: {sorted(unknown)}")
    return Machine({state: frozenset(targets) for state, targets in table.items()})
