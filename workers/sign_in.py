"""The job of signing in: mail a link to somebody who asked for one."""

from __future__ import annotations

from bakedbrie.celery import app
from bakedbrie.lib import ids
from bakedbrie.lib.jobs import Job
from workers.base import RowTask
from workspaces.calls.sign_in_mail import send_sign_in_link


@app.task(name=Job.SIGN_IN_MAIL.value, base=RowTask)
def send(user_id: str) -> None:
    """A lost message loses a mail alone: the person asks again."""
    send_sign_in_link(ids.parse_id(user_id))
