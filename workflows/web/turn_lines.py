"""What the card page shows of a turn: its figures summed over its calls, and what may be done with it now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from agents.models import ModelCall, Turn
from agents.states import TurnState
from workflows.selectors.cards import CardPage
from workflows.services.turns import AGAIN

_STOPPABLE = (TurnState.WAITING, TurnState.QUEUED, TurnState.SENDING)


@dataclass(frozen=True, kw_only=True)
class TurnLine:
    """A sum is None when one of its parts is not known."""

    turn: Turn
    model: str
    input_tokens: int | None
    output_tokens: int | None
    cost_micros: int | None
    may_stop: bool
    may_run_again: bool


def turn_lines(page: CardPage, *, may_write: bool) -> list[TurnLine]:
    """Return the card's turns, newest first; only the newest one can be run again."""
    return [_line(turn, is_newest=n == 0, may_write=may_write) for n, turn in enumerate(page.turns)]


def _line(turn: Turn, *, is_newest: bool, may_write: bool) -> TurnLine:
    calls: list[ModelCall] = list(turn.model_calls.all())
    is_over = turn.finished_at is not None
    return TurnLine(
        turn=turn,
        model=calls[-1].model if calls else "",
        input_tokens=_sum(call.input_tokens for call in calls),
        output_tokens=_sum(call.output_tokens for call in calls),
        cost_micros=_sum(call.cost_micros for call in calls),
        may_stop=may_write and not is_over and turn.state in _STOPPABLE,
        may_run_again=may_write and is_newest and is_over and turn.state in AGAIN,
    )


def _sum(parts: Iterable[int | None]) -> int | None:
    known = list(parts)
    return None if None in known else sum(part for part in known if part is not None)
