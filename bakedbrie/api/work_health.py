"""Whether what is queued gets done: judged from the signs of life of beat and workers, and from the queue."""

from __future__ import annotations

from dataclasses import dataclass

from agents.figures import OpenTurns, open_turns
from bakedbrie.lib.presence import Sign, ages_s

BEAT_WITHIN_S = 60.0  # its shortest tick is 15 seconds
WORKER_WITHIN_S = 60.0  # its process notes itself every 10 seconds
SWEEP_WITHIN_S = 90.0


@dataclass(frozen=True, kw_only=True)
class WorkHealth:
    """A word for each part, "ok" or what is wrong, and the ages they were judged by; None: not seen within a day."""

    beat: str
    worker: str
    queue: str
    beat_seen_s: float | None
    worker_seen_s: float | None
    sweep_done_s: float | None
    turns: OpenTurns

    @property
    def is_well(self) -> bool:
        return {self.beat, self.worker} <= {OK, BUSY}


OK = "ok"
BUSY = "busy"  # it lives, its threads are all at calls, and the sweep waits with the rest
NOT_SEEN = "not seen"
STUCK = "stuck"  # it lives, and does nothing
LATE = "late"  # the workers do not keep up; told, not judged


def work_health() -> WorkHealth:
    """Ask Valkey and the database. Raises `redis.RedisError` or `django.db.Error`."""
    ages, turns = ages_s(), open_turns()
    beat = OK if _within(ages[Sign.BEAT], BEAT_WITHIN_S) else NOT_SEEN
    return WorkHealth(
        beat=beat,
        worker=_worker(ages, beat, turns),
        queue=LATE if turns.is_late else OK,
        beat_seen_s=ages[Sign.BEAT],
        worker_seen_s=ages[Sign.WORKER],
        sweep_done_s=ages[Sign.SWEEP],
        turns=turns,
    )


def _worker(ages: dict[Sign, float | None], beat: str, turns: OpenTurns) -> str:
    if not _within(ages[Sign.WORKER], WORKER_WITHIN_S):
        return NOT_SEEN
    if beat != OK or _within(ages[Sign.SWEEP], SWEEP_WITHIN_S):
        return OK  # without beat, nobody rings for the sweep
    return BUSY if turns.out else STUCK


def _within(age_s: float | None, limit_s: float) -> bool:
    return age_s is not None and age_s <= limit_s
