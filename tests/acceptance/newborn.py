"""What runs in the processes of `tests.acceptance.nursery`: a line of JSON is a child, its pid is the answer."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import transaction

from bakedbrie.celery import app
from reviews.access import get_review
from reviews.states import Door, Verdict
from workflows.services.reviewing import decide_review
from workspaces.access import caller_from_subject


def main(loopback: str) -> None:
    settings.OUTBOUND_LOOPBACK = loopback.split(",")
    app.loader.import_default_modules()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel takes children away
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _work(json.loads(line))
            os._exit(0)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()


def _work(wanted: Mapping[str, Any]) -> None:
    if "job" in wanted:
        app.tasks[wanted["job"]].apply(args=wanted["args"], throw=True)
    else:
        _decide(wanted["decide"], dies=wanted["dies"])


def _decide(given: Mapping[str, str], *, dies: bool) -> None:
    caller = caller_from_subject(given["member"])
    review = get_review(caller, given["review"])
    with transaction.atomic():
        if dies:
            transaction.on_commit(lambda: os.kill(os.getpid(), signal.SIGKILL))
        decide_review(
            caller,
            review=review,
            intent_hash=given["intent_hash"],
            decision=Verdict(given["verdict"]),
            note=given["note"],
            door=Door.WEB,
        )
