"""The jobs of turns: run one, let its card go on, wake those that wait."""

from __future__ import annotations

from agents.calls import hosted
from agents.services import turns as agent_turns
from bakedbrie.celery import app
from bakedbrie.lib import ids, log_context
from bakedbrie.lib.jobs import Job, answering
from destinations.services.deliveries import wake_deliveries
from workers.base import RowTask
from workflows.selectors.sections import prompt_sections
from workflows.services import turns


@app.task(name=Job.TURN_RUN.value, base=RowTask)
def run_turn(turn_id: str) -> None:
    """The card goes on in the same job: a message of its own would cost more than that."""
    log_context.bind(turn=turn_id)
    with answering(Job.TURN_FINISH) as settled:
        hosted.run_turn(ids.parse_id(turn_id), prompt_sections)
    for (settled_id,) in settled:
        turns.finish_turn(settled_id)


@app.task(name=Job.TURN_FINISH.value, base=RowTask)
def finish_turn(turn_id: str) -> None:
    log_context.bind(turn=turn_id)
    turns.finish_turn(ids.parse_id(turn_id))


@app.task(name=Job.WAKE_TURNS.value, base=RowTask)
def wake_turns(workspace_id: str) -> None:
    """Also deliveries go on when work does."""
    log_context.bind(workspace=workspace_id)
    agent_turns.wake_turns(ids.parse_id(workspace_id))
    wake_deliveries(ids.parse_id(workspace_id))
