"""System checks: what an operator can set wrong and would otherwise notice late.

The errors also stop the start of a process (`bakedbrie.env`). The warnings are those of `check --deploy`.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning

from bakedbrie import setting_rules
from bakedbrie.base_path import check_base_path

OTHERS = stat.S_IRWXO


def check_settings(app_configs: object, **kwargs: Any) -> list[CheckMessage]:
    """Name every problem at once."""
    problem_of_address = setting_rules.wrong_app_url(settings.APP_URL)
    return [
        *_error(
            setting_rules.wrong_sealing_keys(settings.SEALING_KEYS),
            hint="`make up` makes one for an embedded install.",
            id="bakedbrie.E001",
        ),
        *_error(_wrong_time_zone(), hint="Leave both as they are in bakedbrie/settings.py.", id="bakedbrie.E002"),
        *_error(
            problem_of_address,
            hint="Tokens travel to this address. Example: https://board.example.com",
            id="bakedbrie.E003",
        ),
        *_error(
            setting_rules.wrong_loopback(settings.OUTBOUND_LOOPBACK),
            hint="Example: 127.0.0.1:11434",
            id="bakedbrie.E004",
        ),
        *_error(
            setting_rules.wrong_debug(settings.DEBUG, settings.APP_URL),
            hint="Its error pages show settings and code to whoever asks.",
            id="bakedbrie.E005",
        ),
        *([] if problem_of_address else check_base_path()),
    ]


def check_deployment(app_configs: object, **kwargs: Any) -> list[CheckMessage]:
    """Name what is right on one's own computer and wrong for an address that others reach."""
    return [*_check_address(), *_check_proxy(), *_check_hosts(), *_check_cookies(), *_check_data_folder()]


def _error(problem: str, *, hint: str, id: str) -> list[CheckMessage]:
    return [Error(problem, hint=hint, id=id)] if problem else []


def _wrong_time_zone() -> str:
    if settings.USE_TZ and settings.TIME_ZONE == "UTC":
        return ""
    return "TIME_ZONE must be UTC, with USE_TZ: schedules name their own zones."


def _check_address() -> list[CheckMessage]:
    if settings.APP_URL.startswith("https://"):
        return []
    hint = "Set it to the https address that people and programs use. Example: https://board.example.com"
    return [Warning("APP_URL is not an https address: only this computer reaches it.", hint=hint, id="bakedbrie.W001")]


def _check_proxy() -> list[CheckMessage]:
    if settings.BEHIND_PROXY or not settings.APP_URL.startswith("https://"):
        return []
    hint = (
        "BakedBrie itself does not speak https. Put a proxy in front that sets X-Forwarded-Proto and adds the client "
        "to X-Forwarded-For, then set BEHIND_PROXY=true: without it, everybody counts as the proxy's own address."
    )
    return [Warning("APP_URL is https, but BEHIND_PROXY is false.", hint=hint, id="bakedbrie.W002")]


def _check_hosts() -> list[CheckMessage]:
    if not any(host.startswith(("*", ".")) for host in settings.ALLOWED_HOSTS):
        return []
    hint = "Name each host: a foreign host name that is taken stands in links, and opens /mcp to pages of others."
    return [Warning("ALLOWED_HOSTS takes any host name.", hint=hint, id="bakedbrie.W003")]


def _check_cookies() -> list[CheckMessage]:
    if settings.SESSION_COOKIE_SECURE and settings.CSRF_COOKIE_SECURE:
        return []
    hint = "With an https APP_URL both are."
    return [Warning("Cookies are sent over plain http as well.", hint=hint, id="bakedbrie.W004")]


def _check_data_folder() -> list[CheckMessage]:
    """Keys, files and, in an embedded install, the database lie there."""
    folder = Path(settings.DATA)
    if not folder.is_dir():
        hint = "Make it, for the account that BakedBrie runs as alone, or name another one in BAKEDBRIE_DATA."
        return [Warning(f"The data folder {folder} is not there.", hint=hint, id="bakedbrie.W005")]
    if not os.access(folder, os.W_OK | os.X_OK):
        hint = "Give it to the account that BakedBrie runs as (chown), or name another one in BAKEDBRIE_DATA."
        return [Warning(f"The data folder {folder} cannot be written to.", hint=hint, id="bakedbrie.W006")]
    may = folder.stat().st_mode & OTHERS
    if may & (stat.S_IROTH | stat.S_IWOTH):
        hint = f"chmod o-rw {folder}"
        return [Warning(f"Other accounts look into the data folder {folder}.", hint=hint, id="bakedbrie.W007")]
    return []
