"""What the card page shows of a turn: its figures summed over its calls, and what may be done with it now."""

from __future__ import annotations

from dataclasses import dataclass

from agents.activity import TurnFigures, figures_of
from agents.models import Turn
from agents.selectors import Transcript, transcript_of
from agents.states import TurnState
from workflows.selectors.cards import CardPage
from workflows.services.turns import AGAIN

_STOPPABLE = (TurnState.WAITING, TurnState.QUEUED, TurnState.SENDING)
_WRITING = (TurnState.SENDING, TurnState.CANCEL_REQUESTED)
CHARACTERS = 6_000


@dataclass(frozen=True, kw_only=True)
class ShownTurn:
    """``written`` is what came so far, or came before it failed."""

    turn: Turn
    figures: TurnFigures
    may_stop: bool
    may_run_again: bool
    is_writing: bool
    written: Transcript | None


def shown_turns(page: CardPage, *, may_write: bool) -> list[ShownTurn]:
    """Return the card's turns, newest first; only the newest one can be run again, or shows what it wrote."""
    return [_shown(turn, is_newest=n == 0, may_write=may_write) for n, turn in enumerate(page.turns)]


@dataclass(frozen=True, kw_only=True)
class Spent:
    """What the turns that are shown came to. A cost that is not known is not in ``micros``."""

    turns: int
    micros: int
    unknown: int


def spent_on(turns: list[ShownTurn]) -> Spent:
    over = [shown.figures.cost_micros for shown in turns if shown.turn.settled_at and shown.figures.model]
    known = [cost for cost in over if cost is not None]
    return Spent(turns=len(turns), micros=sum(known), unknown=len(over) - len(known))


def _shown(turn: Turn, *, is_newest: bool, may_write: bool) -> ShownTurn:
    is_over = turn.finished_at is not None
    return ShownTurn(
        turn=turn,
        figures=figures_of(turn),
        may_stop=may_write and not is_over and turn.state in _STOPPABLE,
        may_run_again=may_write and is_newest and is_over and turn.state in AGAIN,
        is_writing=turn.state in _WRITING,
        written=_written(turn) if is_newest else None,
    )


def _written(turn: Turn) -> Transcript | None:
    """Return what is to be seen of a turn's own words: a finished one left its result on the card."""
    if turn.state == TurnState.DONE:
        return None
    if turn.reply:
        return Transcript(text=turn.reply[-CHARACTERS:], is_cut=len(turn.reply) > CHARACTERS)
    return transcript_of(turn, characters=CHARACTERS)
