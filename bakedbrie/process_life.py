"""What a worker and beat do as processes: log like the rest, give signs of life, and end when they are told to.

The first SIGTERM lets a worker end the calls it has begun, and take no others. The second ends it at once: a call that
is out then is named unknown when its lease has run out, and nothing is sent again.
"""

from __future__ import annotations

import logging
import logging.config
import os
import signal
import threading
from types import FrameType
from typing import Any

from celery.signals import after_task_publish, beat_init, setup_logging, worker_ready, worker_shutting_down
from django.conf import settings

from bakedbrie.lib import presence
from bakedbrie.lib.presence import Sign

logger = logging.getLogger(__name__)

SIGN_EVERY_S = 10.0
ENDED_AT_ONCE = 128 + signal.SIGTERM

_is_ending = threading.Event()


@setup_logging.connect
def log_as_configured(**_: Any) -> None:
    """Connected, this keeps Celery from adding handlers of its own."""
    logging.config.dictConfig(settings.LOGGING)
    logging.captureWarnings(True)


@worker_ready.connect
def begin_signs(**_: Any) -> None:
    threading.Thread(target=_give_signs, name="signs-of-life", daemon=True).start()


def _give_signs() -> None:
    while not _is_ending.is_set():
        presence.note(Sign.WORKER)
        _is_ending.wait(SIGN_EVERY_S)


@beat_init.connect
def note_ticks(**_: Any) -> None:
    """A tick that was sent is beat's sign of life."""
    after_task_publish.connect(_note_tick)


def _note_tick(**_: Any) -> None:
    presence.note(Sign.BEAT)


@worker_shutting_down.connect
def heed_a_second_signal(**_: Any) -> None:
    """Celery itself takes no notice of a second SIGTERM. Runs in its signal handler, so in the main thread."""
    _is_ending.set()
    logger.info("The worker ends what it has begun")
    signal.signal(signal.SIGTERM, _end_at_once)


def _end_at_once(number: int, frame: FrameType | None) -> None:
    os._exit(ENDED_AT_ONCE)
