"""The jobs of deliveries: send what is left of one, and let its card show how it ended."""

from __future__ import annotations

from bakedbrie.celery import app
from bakedbrie.lib import ids, log_context
from bakedbrie.lib.jobs import Job, answering
from destinations.calls import sending
from workers.base import RowTask
from workflows.services import deliveries


@app.task(name=Job.DELIVERY_RUN.value, base=RowTask)
def run_delivery(delivery_id: str) -> None:
    """The card shows the end in the same job: a message of its own would cost more than that."""
    log_context.bind(delivery=delivery_id)
    with answering(Job.DELIVERY_FINISH) as settled:
        sending.run_delivery(ids.parse_id(delivery_id))
    for (settled_id,) in settled:
        deliveries.finish_delivery(settled_id)


@app.task(name=Job.DELIVERY_FINISH.value, base=RowTask)
def finish_delivery(delivery_id: str) -> None:
    log_context.bind(delivery=delivery_id)
    deliveries.finish_delivery(ids.parse_id(delivery_id))
