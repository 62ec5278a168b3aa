"""What a line of the log holds, and what it never holds."""

from __future__ import annotations

import logging
import sys

import pytest
from django.test import Client

from bakedbrie.logconf import ContextFormatter
from workspaces.caller import Caller
from workspaces.services.sign_in_links import make_link


def written(record: logging.LogRecord) -> str:
    return ContextFormatter("%(levelname)s %(message)s").format(record)


def record(message: str, **extra: object) -> logging.LogRecord:
    made = logging.LogRecord("x", logging.WARNING, __file__, 1, message, (), None)
    vars(made).update(extra)
    return made


def test_a_line_ends_with_what_was_given_as_extra() -> None:
    assert written(record("Turn ended", turn="t1", code="AI_CUT_SHORT")) == (
        "WARNING Turn ended code=AI_CUT_SHORT turn=t1"
    )


@pytest.mark.parametrize("path", ["/sign-in/link/", "/invites/", "/downloads/"])
def test_a_path_that_is_a_key_is_cut_in_messages_extras_and_tracebacks(path: str) -> None:
    address = f"{path}raw-key-of-a-person/"
    try:
        raise ValueError(address)
    except ValueError:
        made = record(f"Forbidden: {address}", where=address, request=address)
        made.exc_info = sys.exc_info()

    line = written(made)

    assert "raw-key" not in line
    assert line.count(f"{path}…/") == 3


@pytest.mark.django_db
def test_a_refused_form_of_a_sign_in_link_leaves_no_key_in_the_log(
    alice: Caller, caplog: pytest.LogCaptureFixture
) -> None:
    link = make_link(alice.member.user)

    with caplog.at_level(logging.DEBUG):
        answer = Client(enforce_csrf_checks=True).post(link)

    lines = [written(made) for made in caplog.records]
    assert answer.status_code == 403
    assert any("Forbidden" in line for line in lines)
    assert not any(link.split("/")[-2] in line for line in lines)
