"""The browsers in which a person is signed in."""

from __future__ import annotations

import re
from dataclasses import dataclass

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now

from bakedbrie.lib.refusals import NOT_FOUND
from workspaces.models import User

_NO_ADDRESS = "::"  # the column takes nothing less
_BROWSERS = (("Edg", "Edge"), ("OPR", "Opera"), ("Firefox", "Firefox"), ("Chrome", "Chrome"), ("Safari", "Safari"))
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "Mac"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


@dataclass(frozen=True, kw_only=True)
class SignedIn:
    """One browser. ``name`` is what it says of itself, ``address`` where it was when it signed in."""

    session: UserSession
    name: str
    address: str
    is_this_one: bool


def note_session(user: User, *, key: str, ip: str, agent: str) -> None:
    """Keep that a session began, and forget those of the person that are over."""
    UserSession.objects.filter(~_is_live(), user=user).delete()
    kept = {"user": user, "ip": ip or _NO_ADDRESS, "user_agent": agent[:200]}
    UserSession.objects.update_or_create(session_key=key, defaults=kept)


def renew_session(user: User, *, before: str, now: str) -> None:
    """Follow a session whose key was changed."""
    UserSession.objects.filter(user=user, session_key=before).update(session_key=now)


def sessions_of(user: User, *, this: str) -> list[SignedIn]:
    """Return those that live: this one first, then the newest."""
    found = [
        SignedIn(
            session=row,
            name=_name(row.user_agent),
            address="" if row.ip == _NO_ADDRESS else row.ip,
            is_this_one=row.session_key == this,
        )
        for row in UserSession.objects.filter(_is_live(), user=user).order_by("-created_at", "-pk")
    ]
    return sorted(found, key=lambda one: not one.is_this_one)


def end_session(user: User, pk: int) -> None:
    rows = UserSession.objects.filter(user=user, pk=pk)
    if not rows.exists():
        raise NOT_FOUND()
    _end(rows)


def end_other_sessions(user: User, *, this: str) -> None:
    _end(UserSession.objects.filter(user=user).exclude(session_key=this))


@transaction.atomic
def forget_over() -> int:
    """Delete sessions that have run out: of people who signed in, and of everybody who only came by."""
    over, _ = Session.objects.filter(expire_date__lt=Now()).delete()
    UserSession.objects.filter(~_is_live()).delete()
    return over


@transaction.atomic
def _end(rows: QuerySet[UserSession]) -> None:
    Session.objects.filter(session_key__in=list(rows.values_list("session_key", flat=True))).delete()
    rows.delete()


def _is_live() -> Exists:
    return Exists(Session.objects.filter(session_key=OuterRef("session_key"), expire_date__gt=Now()))


def _name(agent: str) -> str:
    """Return how a person calls a browser: Chrome on Linux."""
    browser = next((name for mark, name in _BROWSERS if re.search(rf"{mark}\w*/", agent)), "")
    system = next((name for mark, name in _SYSTEMS if mark in agent), "")
    return " on ".join(filter(None, (browser, system))) or "Unknown browser"
