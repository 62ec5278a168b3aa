"""What a line of the log holds, and what it never holds."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable

import pytest
from django.conf import settings
from django.test import Client

from bakedbrie.lib import log_context
from bakedbrie.lib.redact import Redactor
from bakedbrie.logconf import JsonFormatter, LineFormatter, logging_config
from workspaces.caller import Caller
from workspaces.services.sign_in_links import make_link

Write = Callable[[logging.LogRecord], str]
BOTH = [LineFormatter("%(levelname)s %(message)s").format, JsonFormatter().format]


def written(record: logging.LogRecord) -> str:
    return LineFormatter("%(levelname)s %(message)s").format(record)


def record(message: str, *args: object, **extra: object) -> logging.LogRecord:
    made = logging.LogRecord("x", logging.WARNING, __file__, 1, message, args, None)
    vars(made).update(extra)
    return made


def failed(text: str) -> logging.LogRecord:
    made = record("It failed")
    try:
        raise ValueError(text)
    except ValueError:
        made.exc_info = sys.exc_info()
    return made


def test_a_line_ends_with_what_was_given_as_extra() -> None:
    assert written(record("Turn ended", turn="t1", code="AI_CUT_SHORT")) == (
        "WARNING Turn ended code=AI_CUT_SHORT turn=t1"
    )


def test_a_json_line_is_one_object_with_what_was_bound_and_what_was_given() -> None:
    made = record("Turn %s", "ended", turn="t1", n=3)
    made.created = 1_700_000_000.5

    with log_context.fresh(request_id="r1"):
        log_context.bind(workspace="w1")
        line = JsonFormatter().format(made)

    assert json.loads(line) == {
        "time": "2023-11-14T22:13:20.500Z",
        "level": "WARNING",
        "logger": "x",
        "message": "Turn ended",
        "request_id": "r1",
        "workspace": "w1",
        "turn": "t1",
        "n": 3,
    }


def test_ids_end_with_the_request_or_job_they_were_bound_in() -> None:
    log_context.bind(workspace="of nobody")
    with log_context.fresh(request_id="outer"):
        with log_context.fresh(job="inner"):
            log_context.bind(turn="t1")
        inside = dict(log_context.current())

    assert inside == {"request_id": "outer"}
    assert log_context.current() == {}


@pytest.mark.parametrize(
    "outside", ["a\nWARNING forged", "a\r\nb", "a\x1b[2Kb", "a\u2028b", "a\x85b", "a\u202eb", "a\x00b"]
)
@pytest.mark.parametrize("write", BOTH)
def test_outside_text_begins_no_line_and_moves_no_cursor(write: Write, outside: str) -> None:
    line = write(record("Asked for %s", outside, path=outside))

    assert len(line.splitlines()) == 1
    assert not {"\x1b", "\x00", "\u202e"} & set(line)


def test_a_traceback_stands_set_in_below_its_line() -> None:
    line, *below = written(failed("first\nWARNING forged")).split("\n")

    assert line == "WARNING It failed"
    assert all(text.startswith("    ") for text in below)
    assert below[-1] == "    WARNING forged"


def test_a_traceback_is_one_field_of_a_json_line() -> None:
    line = JsonFormatter().format(failed("first\nsecond"))

    assert len(line.splitlines()) == 1
    assert json.loads(line)["error"].endswith("ValueError: first\nsecond")


def test_a_traceback_without_end_is_cut_in_its_middle() -> None:
    error = json.loads(JsonFormatter().format(failed("x" * 100_000 + " the end")))["error"]

    assert len(error) < 17_000
    assert error.startswith("Traceback (most recent call last):")
    assert error.endswith("x the end")


def test_an_extra_with_white_space_cannot_pose_as_two() -> None:
    assert written(record("m", path="/a status=200", n=1)) == 'WARNING m n=1 path="/a status=200"'


@pytest.mark.parametrize("path", ["/sign-in/link/", "/invites/", "/downloads/"])
@pytest.mark.parametrize("write", BOTH)
def test_a_path_that_is_a_key_is_cut_in_messages_extras_and_tracebacks(write: Write, path: str) -> None:
    address = f"{path}raw-key-of-a-person/"
    made = failed(address)
    made.msg = f"Forbidden: {address}"
    vars(made).update(where=address, request=address)

    line = write(made)

    assert "raw-key" not in line
    assert max(line.count(f"{path}…/"), line.count(f"{path}\\u2026/")) == 3


@pytest.mark.parametrize("write", BOTH)
@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer sealed-and-kept-1234",
        "authorization: basic c2VhbGVkLWFuZC1rZXB0LTEyMzQ=",
        "x-api-key: sealed-and-kept-1234",
        "the token bb_sealed-and-kept-1234 was used",
        "sk-ant-sealed-and-kept-1234",
    ],
)
def test_a_credential_is_cut_wherever_it_stands(write: Write, text: str) -> None:
    line = write(record(text, header=text))

    assert "kept-1234" not in line
    assert "c2VhbGVk" not in line


@pytest.mark.parametrize("form", ["json", "lines"])
def test_the_secrets_of_the_settings_are_taken_out_in_every_form_they_are_written_in(form: str) -> None:
    secret = 'of the "operator", é'
    config = logging_config("INFO", form, secrets=[secret])["formatters"]["chosen"]
    write = {"json": JsonFormatter, "lines": LineFormatter}[form](redactor=config["redactor"]).format

    line = write(record("Given: %s", secret, again={"key": secret}))

    assert "operator" not in line
    assert line.count("[removed]") == 2


def test_what_runs_knows_the_secrets_of_its_settings() -> None:
    redactor = settings.LOGGING["formatters"]["chosen"]["redactor"]

    assert isinstance(redactor, Redactor)
    assert redactor.text(settings.SEALING_KEYS).partition(":")[2] == "[removed]"


@pytest.mark.django_db
def test_a_refused_form_of_a_sign_in_link_leaves_no_key_in_the_log(
    alice: Caller, caplog: pytest.LogCaptureFixture
) -> None:
    link = make_link(alice.member.user)

    with caplog.at_level(logging.DEBUG):
        answer = Client(enforce_csrf_checks=True).post(link)

    lines = [write(made) for made in caplog.records for write in BOTH]
    assert answer.status_code == 403
    assert any("Forbidden" in line for line in lines)
    assert not any(link.split("/")[-2] in line for line in lines)
