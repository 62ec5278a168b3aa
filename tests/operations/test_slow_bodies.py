"""A client that sends its request slowly, or not to its end, holds up nobody else."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import httpx2
import pytest
from django.conf import settings

from bakedbrie.asgi import Site
from bakedbrie.bodies import LARGE_AT_ONCE
from tests.support.mcp import served
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE_S = 20
AT_ONCE = 3 * 4  # three for each thread that serves pages
PAGE = "/sign-in/"
FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def address(alice: Caller) -> Iterator[str]:
    with served(Site()) as address:
        yield address


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def browser(address: str) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=address, timeout=PATIENCE_S, trust_env=False) as client:
        client.get(PAGE)
        yield client


def begin(address: str, browser: httpx2.Client, *, announced: int, sent: bytes = b"") -> socket.socket:
    """Send the head of a form with the right cookie, and not all of its body."""
    url = urlsplit(address)
    asking = socket.create_connection((url.hostname or "", url.port or 0), timeout=PATIENCE_S)
    cookie = "; ".join(f"{one.name}={one.value}" for one in browser.cookies.jar)
    head = f"POST {PAGE} HTTP/1.1\r\nHost: {url.netloc}\r\nCookie: {cookie}\r\nOrigin: {address}\r\n"
    asking.sendall(f"{head}Content-Type: {FORM}\r\nContent-Length: {announced}\r\n\r\n".encode() + sent)
    return asking


def status_of(asking: socket.socket) -> int:
    answer = re.match(rb"HTTP/1.1 (\d+) ", asking.recv(4096))
    assert answer is not None
    return int(answer[1])


@pytest.mark.parametrize("announced", [1_000, settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1])
def test_slow_forms_leave_every_page_as_fast_as_it_was(
    address: str, browser: httpx2.Client, opened: ExitStack, announced: int
) -> None:
    for _ in range(AT_ONCE):
        opened.enter_context(begin(address, browser, announced=announced, sent=b"email="))

    answers = [browser.get(path).status_code for path in (PAGE, "/health/live") for _ in range(5)]

    assert answers == [200] * 10


def test_a_slow_form_is_answered_once_it_is_there(address: str, browser: httpx2.Client, opened: ExitStack) -> None:
    asking = opened.enter_context(begin(address, browser, announced=20, sent=b"email="))
    browser.get(PAGE)

    asking.sendall(b"x" * 14)

    assert status_of(asking) == 403  # it holds no token of a form


def test_a_form_that_ends_early_reaches_no_view(
    address: str, browser: httpx2.Client, caplog: pytest.LogCaptureFixture
) -> None:
    begin(address, browser, announced=1_000, sent=b"email=").close()

    browser.get(PAGE)

    lines = [one for one in caplog.records if one.name == "bakedbrie.access"]
    assert [line.method for line in lines] == ["GET"]  # type: ignore[attr-defined]


def test_large_bodies_wait_for_one_another(address: str, browser: httpx2.Client, opened: ExitStack) -> None:
    size = settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1
    first = [opened.enter_context(begin(address, browser, announced=size, sent=b"x")) for _ in range(LARGE_AT_ONCE)]
    browser.get(PAGE)
    last = opened.enter_context(begin(address, browser, announced=size, sent=b"x" * 1_000))

    first[0].close()
    last.sendall(b"x" * (size - 1_000))

    assert status_of(last) == 413  # too large for a form without files


def test_a_body_larger_than_any_file_is_refused_by_its_announced_length(
    address: str, browser: httpx2.Client, opened: ExitStack
) -> None:
    asking = opened.enter_context(begin(address, browser, announced=settings.FILES_MAX_BYTES * 2))

    assert status_of(asking) == 413
