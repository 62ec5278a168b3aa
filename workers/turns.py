"""The jobs of turns: run one, let its card go on, wake those that wait."""

from __future__ import annotations

from agents.calls import hosted
from agents.services import turns as agent_turns
from bakedbrie.celery import app
from bakedbrie.lib import ids
from bakedbrie.lib.jobs import Job
from workers.base import RowTask
from workflows.services import turns


@app.task(name=Job.TURN_RUN.value, base=RowTask)
def run_turn(turn_id: str) -> None:
    hosted.run_turn(ids.parse_id(turn_id))


@app.task(name=Job.TURN_FINISH.value, base=RowTask)
def finish_turn(turn_id: str) -> None:
    turns.finish_turn(ids.parse_id(turn_id))


@app.task(name=Job.WAKE_TURNS.value, base=RowTask)
def wake_turns(workspace_id: str) -> None:
    agent_turns.wake_turns(ids.parse_id(workspace_id))
