"""What a browser is told to remember of its reader: the theme, and whether letters are shortcuts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse

# By name, what may be chosen; the first is what nobody chose.
CHOICES: Mapping[str, tuple[str, ...]] = {"theme": ("system", "light", "dark"), "shortcuts": ("on", "off")}
_KEPT_FOR = timedelta(days=365)


def preference(request: HttpRequest | None, name: str) -> str:
    """Return what this browser remembers. A cookie is typed by anybody: what is no choice counts for nothing."""
    kept = request.COOKIES.get(_cookie(name), "") if request else ""
    return kept if kept in CHOICES[name] else CHOICES[name][0]


def remember(response: HttpResponse, name: str, choice: str) -> None:
    response.set_cookie(
        _cookie(name),
        choice,
        max_age=_KEPT_FOR,
        path=settings.SESSION_COOKIE_PATH,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _cookie(name: str) -> str:
    return f"bakedbrie_{name}"
