"""Logging: one JSON object a line in production, lines for people at a terminal, and in neither a secret.

Each line holds the ids of its request or job (`bakedbrie.lib.log_context`) and the ids given as ``extra``. Outside text
cannot begin a line of its own.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from bakedbrie.lib import clock, log_context
from bakedbrie.lib.redact import Redactor

_STANDARD = set(vars(logging.makeLogRecord({}))) | {
    "message",
    "asctime",
    "request",  # Django's: it prints the path
    "data",  # Celery's: the same as its message, with the arguments
}
LONGEST_TRACEBACK = 16_000
# What could be read as a line's end, or turns the text around it about.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_PLAIN = re.compile(r"[^\s\"=]+")
# The address of such a page is a key until it is used.
_KEY_IN_PATH = re.compile(r"(/(?:sign-in/link|invites|downloads(?:/folders)?|setup)/)[^/\s'\"\\]+")
_CREDENTIAL = re.compile(r"(?i)(\b(?:bearer|basic|x-api-key:)\s+)[^\s'\",\\]{6,}")
_KEY = re.compile(r"\b(bb_|sk-|rk-|pk-)[A-Za-z0-9_-]{16,}")


class LogFormat(StrEnum):
    JSON = "json"
    LINES = "lines"
    AUTO = "auto"


class _Formatter(logging.Formatter):
    """What both formats share: which ids a line carries, and what is taken out of it."""

    def __init__(self, format: str | None = None, *, redactor: Redactor | None = None) -> None:
        super().__init__(format)
        self._redactor = redactor or Redactor([])

    def ids_of(self, record: logging.LogRecord) -> dict[str, object]:
        extras = {key: value for key, value in vars(record).items() if key not in _STANDARD}
        return {**log_context.current(), **extras}

    def clean(self, line: str) -> str:
        return self._redactor.text(without_keys(line))


def without_keys(text: str) -> str:
    """Return ``text`` without what looks like a key, a token or the address of a page that is a key."""
    for pattern in (_KEY_IN_PATH, _CREDENTIAL, _KEY):
        text = pattern.sub(r"\1…", text)
    return text


class LineFormatter(_Formatter):
    """Writes the sentence, then every id as key=value; a traceback follows, set in."""

    def format(self, record: logging.LogRecord) -> str:
        record.message = _visible(record.getMessage())
        record.asctime = self.formatTime(record)
        line = self.formatMessage(record)
        line += "".join(f" {key}={_word(value)}" for key, value in sorted(self.ids_of(record).items()))
        for text in _traceback(self, record).split("\n"):
            line += f"\n    {_visible(text)}" if text else ""
        return self.clean(line)


class JsonFormatter(_Formatter):
    """Writes one object: time, level, logger, message, then the ids; ``error`` holds a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        written: dict[str, object] = {
            "time": clock.to_text(datetime.fromtimestamp(record.created, UTC)),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        written.update({key: value for key, value in self.ids_of(record).items() if key not in written})
        if text := _traceback(self, record):
            written["error"] = text
        return self.clean(json.dumps(written, default=str))


def _visible(text: str) -> str:
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def _word(value: object) -> str:
    text = str(value)
    return text if _PLAIN.fullmatch(text) and not _CONTROL.search(text) else json.dumps(text)


def _traceback(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    parts = [formatter.formatException(record.exc_info)] if record.exc_info and record.exc_info[0] else []
    if record.stack_info:
        parts.append(formatter.formatStack(record.stack_info))
    text = "\n".join(parts)
    if len(text) <= LONGEST_TRACEBACK:
        return text
    # Both ends say something: where it began, and what it was.
    return f"{text[: LONGEST_TRACEBACK // 2]}\n[…]\n{text[-LONGEST_TRACEBACK // 2 :]}"


def logging_config(level: str, log_format: str = LogFormat.AUTO, *, secrets: Iterable[str] = ()) -> dict[str, Any]:
    """Return Django's LOGGING: everything to standard error, without any of ``secrets``."""
    is_for_people = log_format == LogFormat.LINES or (log_format == LogFormat.AUTO and sys.stderr.isatty())
    redactor = Redactor(secrets)
    lines = {
        "()": "bakedbrie.logconf.LineFormatter",
        "format": "%(asctime)s %(levelname)s %(name)s %(message)s",
        "redactor": redactor,
    }
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "chosen": lines if is_for_people else {"()": "bakedbrie.logconf.JsonFormatter", "redactor": redactor}
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "chosen"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django.request": {"level": "ERROR"},
            "httpcore2": {"level": "INFO"},
            "django.security.DisallowedHost": {"level": "CRITICAL"},
            # The server sets up loggers of its own before it loads us.
            "uvicorn": {"handlers": [], "propagate": True},
            "uvicorn.error": {"handlers": [], "propagate": True},
            "uvicorn.access": {"handlers": [], "propagate": True},
        },
    }
