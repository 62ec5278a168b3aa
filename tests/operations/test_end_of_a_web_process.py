"""A web process that is asked to stop answers what it was asked and ends its streams; asked again, it ends at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from django.db import connection, transaction

from boards.models import Board
from tests.acceptance.worker import until
from tests.factories.boards import make_board
from tests.support.cast import browser, token_of
from tests.support.web_process import WebProcess, web_process
from workspaces.caller import Caller

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE_S = 60


class Asking(threading.Thread):
    """One GET beside the test; ``status`` is None until it was answered, and 0 when the connection broke."""

    def __init__(self, url: str, token: str) -> None:
        super().__init__()
        self.status: int | None = None
        self._url, self._token = url, token

    def run(self) -> None:
        try:
            with httpx2.Client(timeout=PATIENCE_S, trust_env=False) as client:
                self.status = client.get(self._url, headers={"Authorization": f"Bearer {self._token}"}).status_code
        except httpx2.TransportError:
            self.status = 0


@pytest.fixture
def board(alice: Caller) -> Board:
    return make_board(alice)


@pytest.fixture
def web(board: Board, tmp_path: Path) -> Iterator[WebProcess]:
    with web_process(tmp_path) as running:
        yield running


@contextmanager
def following(web: WebProcess, caller: Caller, board: Board) -> Iterator[Iterator[str]]:
    """Open a stream of hints, and give its lines."""
    cookies = "; ".join(f"{one.key}={one.value}" for one in browser(caller).cookies.values())
    url = f"{web.address}/events?board={board.pk}"
    with (
        httpx2.Client(timeout=PATIENCE_S, trust_env=False) as client,
        client.stream("GET", url, headers={"Cookie": cookies}) as stream,
    ):
        yield stream.iter_lines()


@contextmanager
def held_up(asking: Asking) -> Iterator[None]:
    """Ask for something whose table we hold, and hold it until the end of the block."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("LOCK TABLE boards_stage IN ACCESS EXCLUSIVE MODE")
        asking.start()
        until(_is_waiting, "the request waits for the database")
        yield
    asking.join()


def _is_waiting() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return bool(cursor.fetchone()[0])


def test_it_ends_its_streams_at_once_and_answers_what_it_was_asked(
    web: WebProcess, alice: Caller, board: Board
) -> None:
    path = f"/api/v1/boards/{board.pk}"
    asking = Asking(web.address + path, token_of(alice))

    with following(web, alice, board) as lines:
        opened = next(lines)
        with held_up(asking):
            web.process.terminate()
            after = [line for line in lines if line]
            assert (opened, after, asking.status) == ("retry: 3000", [], None)
    status = web.process.wait(PATIENCE_S)

    assert asking.status == 200
    assert status in {0, -signal.SIGTERM}
    assert [line["status"] for line in web.log() if line.get("path") == path] == [200]


def test_asked_again_it_ends_at_once(web: WebProcess, alice: Caller, board: Board) -> None:
    asking = Asking(f"{web.address}/api/v1/boards/{board.pk}", token_of(alice))

    with following(web, alice, board) as lines:
        next(lines)
        with held_up(asking):
            web.process.terminate()
            list(lines)  # its end says that the first request was heard
            web.process.terminate()
            status = web.process.wait(PATIENCE_S)

    assert status == 128 + signal.SIGTERM
    assert asking.status == 0
