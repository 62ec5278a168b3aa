"""Settings from the environment: a wrong value stops the start and says which one."""

from __future__ import annotations

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off", ""}


def envtext(name: str, default: str) -> str:
    return os.environ.get(name, default)


def envbool(name: str, default: bool) -> bool:
    text = os.environ.get(name, "true" if default else "false").strip().lower()
    if text not in _TRUE | _FALSE:
        raise ImproperlyConfigured(f"{name} must be true or false, not {text!r}.")
    return text in _TRUE


def envint(name: str, default: int, *, least: int = 0) -> int:
    text = os.environ.get(name, str(default)).strip()
    if not text.isdigit() or int(text) < least:
        raise ImproperlyConfigured(f"{name} must be a whole number of at least {least}, not {text!r}.")
    return int(text)


def envlist(name: str, default: str = "") -> list[str]:
    """Return the comma-separated values, without white space and without empty ones."""
    return [part.strip() for part in os.environ.get(name, default).split(",") if part.strip()]


def envsecret(name: str) -> str:
    """Return the value, or the content of the file that NAME_FILE names; without either the start stops."""
    if value := os.environ.get(name):
        return value
    if path := os.environ.get(f"{name}_FILE"):
        try:
            return Path(path).read_text().strip()
        except OSError as error:
            raise ImproperlyConfigured(f"{name}_FILE cannot be read: {error.strerror}.") from None
    raise ImproperlyConfigured(f"{name} or {name}_FILE must be set. `make up` makes one for an embedded install.")
