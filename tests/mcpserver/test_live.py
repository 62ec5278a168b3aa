"""/events: hints for an open board page, for as long as the person may open the board."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice

import httpx2
import pytest
import redis
from django.conf import settings as django_settings
from django.contrib.sessions.models import Session
from django.db import connection
from pytest_django.fixtures import Settings

from bakedbrie import live
from bakedbrie.asgi import Site
from bakedbrie.lib.live import channel, hint
from boards.models import Board
from boards.services.members import remove_board_member
from tests.factories.boards import make_board
from tests.support.cast import browser, token_of
from workspaces.caller import Caller
from workspaces.services.members import remove_member
from workspaces.services.users import set_active

CONNECTED = "retry: 3000"
ENOUGH_LINES = 200  # a stream that goes on so long after it should have ended does not end


class Stream:
    """What an EventSource of a browser would read, line by line."""

    def __init__(self, response: httpx2.Response) -> None:
        self.response = response
        self._lines = response.iter_lines()

    def line(self) -> str:
        """Return the next line that is not empty, or END."""
        return next((line for line in self._lines if line), "END")

    def hint(self) -> dict[str, object]:
        line = self.line()
        while line.startswith(":"):
            line = self.line()
        assert line.startswith("data: "), line
        found: dict[str, object] = json.loads(line.removeprefix("data: "))
        return found


def cookies_of(caller: Caller) -> dict[str, str]:
    return {"Cookie": f"bakedbrie_session={browser(caller).cookies['bakedbrie_session'].value}"}


@contextmanager
def following(address: str, board: object, headers: dict[str, str], **more: str) -> Iterator[Stream]:
    with (
        httpx2.Client(timeout=30, trust_env=False) as client,
        client.stream("GET", f"{address}/events", params={"board": str(board), **more}, headers=headers) as response,
    ):
        yield Stream(response)


@pytest.fixture
def board(alice: Caller, mia: Caller) -> Board:
    return make_board(alice, members=[mia.member])


def wait_until_listening(site: Site) -> None:
    """A hint that is published before the process listens is lost: each page is told to look again instead."""
    client = redis.Redis.from_url(django_settings.REDIS_URL)
    deadline = threading.Event()
    for _ in range(500):
        if site.live.hub.is_listening and client.pubsub_numpat():
            return
        deadline.wait(0.02)
    raise AssertionError("The process does not listen to hints.")


def test_a_hint_reaches_the_boards_pages_and_no_others(
    address: str, site: Site, alice: Caller, mia: Caller, board: Board
) -> None:
    other = make_board(alice)
    wait_until_listening(site)

    with (
        following(address, board.pk, cookies_of(mia)) as hers,
        following(address, other.pk, cookies_of(alice)) as others,
    ):
        opened = (hers.line(), others.line())
        hint(board.pk, "card_moved", alice.actor.pk)
        hint(other.pk, "comment_added")

        assert opened == (CONNECTED, CONNECTED)
        assert hers.hint() == {"board": str(board.pk), "card": str(alice.actor.pk), "kind": "card_moved"}
        assert others.hint() == {"board": str(other.pk), "card": None, "kind": "comment_added"}


def test_what_changed_between_a_page_and_its_stream_is_told_at_the_start(
    address: str, site: Site, alice: Caller, mia: Caller, board: Board
) -> None:
    other = make_board(alice)
    wait_until_listening(site)
    asked_for = repr(time.time())
    with following(address, board.pk, cookies_of(mia)) as earlier:
        opened = earlier.line()
        hint(board.pk, "turn_line")
        hint(board.pk, "card_moved")
        told = [earlier.hint()["kind"], earlier.hint()["kind"]]

    with (
        following(address, board.pk, cookies_of(mia), since=asked_for) as late,
        following(address, board.pk, cookies_of(mia), since="soon") as strange,
        following(address, other.pk, cookies_of(alice), since=asked_for) as others,
    ):
        starts = [stream.line() for stream in (late, strange, others)]
        found = (late.hint()["kind"], strange.hint()["kind"])
        hint(other.pk, "comment_added")
        theirs = others.hint()["kind"]

    assert (opened, told, set(starts)) == (CONNECTED, ["turn_line", "card_moved"], {CONNECTED})
    assert found == ("look_again", "look_again")
    assert theirs == "comment_added"


def test_lines_that_an_agent_writes_and_older_changes_are_not_told_again(
    address: str, site: Site, mia: Caller, board: Board
) -> None:
    wait_until_listening(site)
    with following(address, board.pk, cookies_of(mia)) as earlier:
        opened = earlier.line()
        hint(board.pk, "card_moved")
        told = [earlier.hint()["kind"]]
        asked_for = repr(time.time())
        hint(board.pk, "turn_line")
        told.append(earlier.hint()["kind"])

    with following(address, board.pk, cookies_of(mia), since=asked_for) as late:
        start = late.line()
        hint(board.pk, "comment_added")
        found = late.hint()["kind"]

    assert (opened, told, start, found) == (CONNECTED, ["card_moved", "turn_line"], CONNECTED, "comment_added")


@pytest.mark.parametrize("text", ["{", "[]", "null", "7", "{}"])
def test_what_is_no_hint_does_not_end_the_listening(
    address: str, site: Site, mia: Caller, board: Board, text: str
) -> None:
    wait_until_listening(site)

    with following(address, board.pk, cookies_of(mia)) as stream:
        opened = stream.line()
        redis.Redis.from_url(django_settings.REDIS_URL).publish(channel(board.pk), text)
        hint(board.pk, "card_moved")

        assert (opened, stream.line(), stream.hint()["kind"]) == (CONNECTED, f"data: {text}", "card_moved")


@pytest.mark.parametrize("text", ["inf", "nan", "1e999", "-", ""])
def test_a_start_that_is_no_time_counts_as_long_ago(text: str) -> None:
    assert live.Hub().may_have_changed("b-1", live._instant(text))


def test_a_process_remembers_so_many_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "REMEMBERED_BOARDS", 2)
    hub, begun = live.Hub(), time.time()
    hub._remember_from_now()
    text = json.dumps({"kind": "card_moved"})

    for board in ("b-1", "b-2", "b-3"):
        hub._note(board, text)

    assert set(hub._changed_at) == {"b-3"}
    assert hub.may_have_changed("b-1", begun)


def test_the_answer_is_an_event_stream_that_nobody_stores(address: str, mia: Caller, board: Board) -> None:
    with following(address, board.pk, cookies_of(mia)) as stream:
        assert stream.response.status_code == 200
        assert stream.response.headers["content-type"].startswith("text/event-stream")
        assert stream.response.headers["cache-control"] == "no-store"


@pytest.mark.requirement("W002", "B045")
def test_strangers_tokens_and_absent_boards_get_the_same_404(
    address: str, alice: Caller, vic: Caller, charlie: Caller, board: Board
) -> None:
    asked: list[tuple[object, dict[str, str]]] = [
        (board.pk, {}),
        (board.pk, {"Cookie": "bakedbrie_session=made-up"}),
        (board.pk, {"Authorization": f"Bearer {token_of(alice)}"}),
        (board.pk, cookies_of(charlie)),
        (board.pk, cookies_of(vic)),
        ("no id", cookies_of(alice)),
        ("", cookies_of(alice)),
        ("*", cookies_of(alice)),
    ]

    answers = [httpx2.get(f"{address}/events", params={"board": str(one)}, headers=headers) for one, headers in asked]

    assert {(answer.status_code, answer.content) for answer in answers} == {(404, b"")}


def leave_board(alice: Caller, mia: Caller, board: Board) -> None:
    remove_board_member(alice, board=board, member=mia.member)


def leave_workspace(alice: Caller, mia: Caller, board: Board) -> None:
    remove_member(alice, member=mia.member)


def lose_account(alice: Caller, mia: Caller, board: Board) -> None:
    set_active(mia.member.user, is_active=False)


def sign_out_everywhere(alice: Caller, mia: Caller, board: Board) -> None:
    Session.objects.all().delete()


@pytest.mark.requirement("C095")
@pytest.mark.parametrize("lose", [leave_board, leave_workspace, lose_account, sign_out_everywhere])
def test_the_stream_ends_when_access_is_lost(
    address: str,
    alice: Caller,
    mia: Caller,
    board: Board,
    monkeypatch: pytest.MonkeyPatch,
    lose: Callable[[Caller, Caller, Board], None],
) -> None:
    monkeypatch.setattr(live, "CHECK_EVERY_S", 0.05)
    cookies = cookies_of(mia)

    with following(address, board.pk, cookies) as stream:
        opened, ping = stream.line(), stream.line()
        lose(alice, mia, board)
        before_the_end = list(islice(iter(stream.line, "END"), ENOUGH_LINES))
        reopened = httpx2.get(f"{address}/events", params={"board": str(board.pk)}, headers=cookies)

    assert (opened, ping) == (CONNECTED, ": still here")
    assert len(before_the_end) < ENOUGH_LINES
    assert {line for line in before_the_end if not line.startswith("data: ")} <= {": still here"}
    assert reopened.status_code == 404


def test_a_process_serves_so_many_streams(address: str, mia: Caller, board: Board, settings: Settings) -> None:
    settings.LIVE_STREAMS = 1

    with following(address, board.pk, cookies_of(mia)) as first:
        first.line()
        second = httpx2.get(f"{address}/events", params={"board": str(board.pk)}, headers=cookies_of(mia))

    assert second.status_code == 503
    assert second.headers["retry-after"] == "30"


def test_only_get_is_served(address: str) -> None:
    assert httpx2.post(f"{address}/events").status_code == 405


def test_a_page_that_does_not_read_is_told_to_look_again() -> None:
    hub = live.Hub()

    with hub.queue("b-1") as queue:
        for number in range(live.WAITING_HINTS + 1):
            hub._hand_out("b-1", f"hint {number}")

        assert queue.qsize() == 1
        assert json.loads(queue.get_nowait()) == {"board": "b-1", "card": None, "kind": "look_again"}
    assert hub.size == 0


def test_pages_are_told_to_look_again_when_valkey_comes_back(
    address: str, site: Site, mia: Caller, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "LISTEN_AGAIN_AFTER_S", 0)
    wait_until_listening(site)

    with following(address, board.pk, cookies_of(mia)) as stream:
        stream.line()
        redis.Redis.from_url(django_settings.REDIS_URL).client_kill_filter(_type="pubsub")

        assert stream.hint()["kind"] == "look_again"


@pytest.fixture
def process(transactional_db: None) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The site in a process of its own, as the supervisor starts it."""
    settings = {
        "DATABASE_NAME": connection.settings_dict["NAME"],
        "SECRET_KEY": django_settings.SECRET_KEY,
        "SEALING_KEYS": django_settings.SEALING_KEYS,
        "DJANGO_SETTINGS_MODULE": "bakedbrie.settings",
    }
    with socket.create_server(("127.0.0.1", 0)) as listener:
        command = [sys.executable, "-m", "bakedbrie.embedded.serve_web", str(listener.fileno())]
        with subprocess.Popen(
            command, env={**os.environ, **settings}, pass_fds=[listener.fileno()], stderr=subprocess.PIPE, text=True
        ) as server:
            try:
                yield f"http://127.0.0.1:{listener.getsockname()[1]}", server
            finally:
                server.kill()


def test_an_open_stream_does_not_hold_up_the_end_of_the_server(
    process: tuple[str, subprocess.Popen[str]], mia: Caller, board: Board
) -> None:
    address, server = process

    with following(address, board.pk, cookies_of(mia)) as stream:
        opened = stream.line()
        server.terminate()
        last = stream.line()
    _, errors = server.communicate(timeout=60)

    assert (opened, last) == (CONNECTED, "END")
    assert "Cancel" not in errors


def test_hints_go_to_their_own_prefix(board: Board) -> None:
    assert channel(board.pk) == f"{django_settings.LIVE_PREFIX}board:{board.pk}"
