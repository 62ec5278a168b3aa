"""A pytest plugin: planted secrets that must never be seen, looked for in everything the suite lets out.

Planted are the key that every AI account of the suite is made with, and every token of `tests.support.cast.token_of`.
Looked at are log records, the answers to all requests that this process serves, the arguments of child processes, the
bodies that fake services receive, and at the end of a test every row of the product's tables. A test in which one is
seen fails. Not looked at: processes that tests start, beyond their arguments.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.core.handlers.base import BaseHandler
from django.db import connection
from django.http import HttpRequest
from django.http.response import HttpResponseBase

KEY = "sk-canary-4f1d-never-shown"
# whose tables are looked at
_APPS = ("workspaces", "boards", "agents", "destinations", "reviews", "workflows", "admin", "sessions")

_planted: set[str] = {KEY}
_seen: list[str] = []
_own_records = logging.LogRecord("", 0, "", 0, "", None, None).__dict__.keys()


def plant(secret: str) -> str:
    """Watch for one more secret, until the test ends."""
    _planted.add(secret)
    return secret


def look(where: str, *texts: object) -> None:
    """Remember where a planted secret was seen; the secret itself is not repeated."""
    shown = "\n".join(text.decode(errors="replace") if isinstance(text, bytes) else str(text) for text in texts)
    if any(secret in shown for secret in tuple(_planted)):
        _seen.append(where)


class _Watcher(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        extra = {name: value for name, value in record.__dict__.items() if name not in _own_records}
        raised = record.exc_info[1] if record.exc_info else ""
        look(f"a log record of {record.name}", record.getMessage(), extra, repr(raised))


_watcher = _Watcher()


def _watch_answers() -> None:
    answer = BaseHandler.get_response

    def get_response(handler: BaseHandler, request: HttpRequest) -> HttpResponseBase:
        response = answer(handler, request)
        content = b"" if response.streaming else getattr(response, "content", b"")
        look(f"the answer to {request.method} {request.path}", content, dict(response.items()))
        return response

    BaseHandler.get_response = get_response  # type: ignore[method-assign,assignment]  # one seam for every client


def _watch_children(event: str, args: tuple[Any, ...]) -> None:
    if event == "subprocess.Popen":
        look("the arguments of a process", args[0], args[1])


def pytest_configure() -> None:
    sys.addaudithook(_watch_children)
    _watch_answers()


@pytest.fixture(autouse=True)
def canary(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail the test in which a planted secret was seen."""
    has_rows = request.node.get_closest_marker("django_db") or {"db", "transactional_db"} & set(request.fixturenames)
    if has_rows:
        request.getfixturevalue("_django_db_helper")  # so that this ends while the rows are still there
    logging.getLogger().addHandler(_watcher)  # each time: tests of logging set it up anew, which takes it away
    _planted.intersection_update({KEY})
    _seen.clear()
    yield
    if has_rows and not connection.needs_rollback:
        _look_at_rows()
    assert _seen == [], "A planted secret was seen."


def _look_at_rows() -> None:
    tables = [model._meta.db_table for app in _APPS for model in apps.get_app_config(app).get_models()]
    looks = [f"SELECT '{name}' FROM {name} AS one WHERE one::text LIKE ANY(%s)" for name in tables]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(looks), [[f"%{secret}%" for secret in _planted]] * len(tables))
        for (name,) in cursor.fetchall():
            _seen.append(f"a row of {name}")
