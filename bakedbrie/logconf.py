"""Logging: one line per record, the request id and the ids given as ``extra`` behind it."""

from __future__ import annotations

import logging
import re
from contextvars import ContextVar
from typing import Any

request_id_var: ContextVar[str] = ContextVar("request_id", default="-")

_STANDARD = set(vars(logging.makeLogRecord({}))) | {
    "message",
    "asctime",
    "request_id",
    "request",  # Django's: it prints the path
}
# The address of such a page is a key until it is used.
_KEY_IN_PATH = re.compile(r"(/(?:sign-in/link|invites|downloads)/)[^/\s'\"]+")


class ContextFormatter(logging.Formatter):
    """Writes the sentence, then every ``extra`` as key=value."""

    def format(self, record: logging.LogRecord) -> str:
        record.request_id = request_id_var.get()
        extras = {key: value for key, value in vars(record).items() if key not in _STANDARD}
        line = super().format(record)
        line += "".join(f" {key}={value}" for key, value in sorted(extras.items()))
        return _KEY_IN_PATH.sub(r"\1…", line)


def logging_config(level: str) -> dict[str, Any]:
    """Return Django's LOGGING: everything to standard error."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": "bakedbrie.logconf.ContextFormatter",
                "format": "%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s",
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django.request": {"level": "ERROR"},
            "httpcore2": {"level": "INFO"},
            "django.security.DisallowedHost": {"level": "CRITICAL"},
        },
    }
