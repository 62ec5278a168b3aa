"""Settings from the environment: every wrong value is noted, and the start stops once, with all of them in words.

An empty variable counts as none.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

T = TypeVar("T")

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off"}
_problems: list[str] = []


class WrongSettings(ImproperlyConfigured):
    """What is wrong with the environment, one sentence each; no sentence holds a secret."""

    HEAD = "BakedBrie cannot start with these settings:"

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join([self.HEAD, *(f"  - {one}" for one in problems)]))
        self.problems = problems


def note(problem: str) -> None:
    """Remember one problem, unless the text is empty."""
    if problem:
        _problems.append(problem)


def stop_if_wrong() -> None:
    """Raise `WrongSettings` with all that was noted since the last time."""
    problems = list(_problems)
    _problems.clear()
    if problems:
        raise WrongSettings(problems)


def envtext(name: str, default: str) -> str:
    return os.environ.get(name) or default


def envbool(name: str, default: bool) -> bool:
    text = os.environ.get(name, "").strip().lower() or str(default).lower()
    if text not in _TRUE | _FALSE:
        return _instead(default, f"{name} must be true or false, not {text!r}.")
    return text in _TRUE


def envint(name: str, default: int, *, least: int = 0, most: int | None = None) -> int:
    text = os.environ.get(name, "").strip() or str(default)
    if not (text.isascii() and text.isdigit()) or int(text) < least or (most is not None and int(text) > most):
        limits = f"of at least {least}" if most is None else f"from {least} to {most}"
        return _instead(default, f"{name} must be a whole number {limits}, not {text!r}.")
    return int(text)


def envlist(name: str, default: str = "") -> list[str]:
    """Return the comma-separated values, without white space and without empty ones."""
    return [part.strip() for part in os.environ.get(name, default).split(",") if part.strip()]


def envchoice(name: str, default: str, choices: Iterable[str]) -> str:
    """Return one of ``choices``, in whichever case it was written."""
    text = os.environ.get(name, "").strip() or default
    known = {choice.lower(): choice for choice in choices}
    if text.lower() not in known:
        return _instead(default, f"{name} must be one of {', '.join(known.values())}, not {text!r}.")
    return known[text.lower()]


def envurl(name: str, default: str, schemes: Iterable[str]) -> str:
    """Return an address of one of ``schemes``. It may hold a password, so a wrong one is not repeated."""
    text = os.environ.get(name, "").strip() or default
    known = list(schemes)
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018 reading it is what finds a wrong one
    except ValueError:
        return _instead(default, f"{name} is not an address: its host or port cannot be read.")
    is_whole = parts.netloc or parts.path or parts.scheme == "memory"
    if parts.scheme not in known or not is_whole:
        begins = " or ".join(f"{scheme}://" for scheme in known)
        return _instead(default, f"{name} must be an address that begins with {begins}.")
    return text


def envsecret(name: str, default: str | None = None) -> str:
    """Return the value, else what the file holds that NAME_FILE names, else the default; having none is a problem."""
    if value := os.environ.get(name):
        return value
    if path := os.environ.get(f"{name}_FILE"):
        try:
            return Path(path).read_text().strip() or _instead("", f"The file that {name}_FILE names is empty.")
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not text"
            return _instead("", f"{name}_FILE cannot be read: {why}.")
    if default is not None:
        return default
    return _instead("", f"{name} or {name}_FILE must be set. `make up` makes one for an embedded install.")


def _instead(value: T, problem: str) -> T:
    note(problem)
    return value
