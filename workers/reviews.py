"""The job of reviews: tell people by mail that one waits."""

from __future__ import annotations

from bakedbrie.celery import app
from bakedbrie.lib import ids, log_context
from bakedbrie.lib.jobs import Job
from reviews.calls.notices import send_notice
from workers.base import RowTask


@app.task(name=Job.REVIEW_NOTICE.value, base=RowTask)
def tell(review_id: str) -> None:
    log_context.bind(review=review_id)
    send_notice(ids.parse_id(review_id))
