"""System checks: what an operator can set wrong and would otherwise notice late."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error

from bakedbrie.base_path import check_base_path
from bakedbrie.lib import sealing

LOOPBACK_NAMES = {"127.0.0.1", "::1", "localhost"}
_PLAIN_PATH = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")
_HOST_AND_PORT = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+):([1-9][0-9]{0,4})")


def check_settings(app_configs: object, **kwargs: Any) -> list[CheckMessage]:
    """Name every problem at once."""
    return [*_check_sealing_keys(), *_check_time_zone(), *_check_app_url(), *_check_outbound_loopback()]


def _check_sealing_keys() -> list[CheckMessage]:
    try:
        sealing.check_keys()
    except ValueError as error:
        return [Error(str(error), hint="`make up` makes one for an embedded install.", id="bakedbrie.E001")]
    return []


def _check_time_zone() -> list[CheckMessage]:
    if settings.USE_TZ and settings.TIME_ZONE == "UTC":
        return []
    return [Error("TIME_ZONE must be UTC, with USE_TZ: schedules name their own zones.", id="bakedbrie.E002")]


def _check_app_url() -> list[CheckMessage]:
    url = urlsplit(settings.APP_URL)
    is_safe = url.scheme == "https" or (url.scheme == "http" and url.hostname in LOOPBACK_NAMES)
    if is_safe and url.hostname and _PLAIN_PATH.fullmatch(url.path) and not (url.query or url.fragment or url.username):
        return check_base_path()
    hint = "Tokens travel to this address. Example: https://board.example.com"
    message = "APP_URL must be https:// and a host, with or without a plain path; http:// only on this computer."
    return [Error(message, hint=hint, id="bakedbrie.E003")]


def _check_outbound_loopback() -> list[CheckMessage]:
    wrong = [entry for entry in settings.OUTBOUND_LOOPBACK if not _is_host_and_port(entry)]
    if not wrong:
        return []
    message = f"OUTBOUND_LOOPBACK takes exact host:port pairs, not {', '.join(wrong)}."
    return [Error(message, hint="Example: 127.0.0.1:11434", id="bakedbrie.E004")]


def _is_host_and_port(entry: str) -> bool:
    match = _HOST_AND_PORT.fullmatch(entry)
    return match is not None and int(match[1]) <= 65535
