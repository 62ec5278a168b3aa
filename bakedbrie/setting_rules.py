"""What settings must be beyond their form: each function returns a sentence, or nothing when all is well.

Asked when a process starts, and again by the system checks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import SplitResult, urlsplit

from bakedbrie.lib import sealing

LOOPBACK_NAMES = {"127.0.0.1", "::1", "localhost"}
BROKERS: tuple[str, ...] = ("redis", "rediss", "redis+socket", "sentinel", "amqp", "amqps", "memory")
_PLAIN_PATH = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")
_HOST_AND_PORT = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+):([1-9][0-9]{0,4})")


def wrong_app_url(text: str) -> str:
    """Tokens travel to this address."""
    wrong = "APP_URL must be https:// and a host, with or without a plain path; http:// only on this computer."
    try:
        url = urlsplit(text)
        url.port  # noqa: B018 reading it is what finds a wrong one
    except ValueError:
        return wrong
    is_safe = url.scheme == "https" or (url.scheme == "http" and url.hostname in LOOPBACK_NAMES)
    is_plain = _PLAIN_PATH.fullmatch(url.path) and not (url.query or url.fragment or url.username)
    is_right = is_safe and url.hostname and is_plain
    return "" if is_right else wrong


def wrong_sealing_keys(text: str) -> str:
    try:
        sealing.check_keys(text)
    except ValueError as error:
        return str(error)
    return ""


def wrong_loopback(entries: Iterable[str]) -> str:
    wrong = [entry for entry in entries if not _is_host_and_port(entry)]
    return f"OUTBOUND_LOOPBACK takes exact host:port pairs, not {', '.join(wrong)}." if wrong else ""


def wrong_debug(debug: bool, app_url: str) -> str:
    """Its error pages show settings and code to whoever asks."""
    if not debug or is_this_computer(app_url):
        return ""
    return "DEBUG must be false where APP_URL is an address that others reach."


def is_this_computer(app_url: str) -> bool:
    return parts_of(app_url).hostname in LOOPBACK_NAMES


def parts_of(app_url: str) -> SplitResult:
    """Return the parts of an address, or those of this computer's where it cannot be read."""
    try:
        parts = urlsplit(app_url)
        parts.port  # noqa: B018 reading it is what finds a wrong one
    except ValueError:
        return urlsplit("http://127.0.0.1")
    return parts


def secrets_in(*, values: Iterable[str], sealing_keys: str, urls: Iterable[str]) -> list[str]:
    """Return what no log line may hold: the values, every sealing key, and the passwords in the addresses."""
    keys = [entry.partition(":")[2] for entry in sealing.entries(sealing_keys)]
    return [one for one in (*values, *keys, *(urlsplit(url).password for url in urls)) if one]


def _is_host_and_port(entry: str) -> bool:
    match = _HOST_AND_PORT.fullmatch(entry)
    return match is not None and int(match[1]) <= 65535
