"""What the card page shows of an agent while it writes, and of what it had written when it failed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pytest_django import Settings

from agents.models import Turn, TurnLine
from agents.states import TurnState
from bakedbrie.lib import clock
from tests.factories.workflows import Line, make_line
from tests.support.cast import browser
from tests.support.fake_provider import FakeProvider
from tests.web.pages import text_of, url
from workspaces.caller import Caller

NOTHING = "What it"


@pytest.fixture
def line(alice: Caller, vic: Caller, settings: Settings) -> Iterator[Line]:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        made = make_line(alice, provider)
        made.let_in(vic)
        yield made


@pytest.fixture
def turn(line: Line) -> Turn:
    """A turn that was sent a moment ago and has written two lines."""
    turn = line.start()
    put(turn, TurnState.SENDING)
    write(turn, "One <b>loaf</b>\n", "and two rolls.")
    return turn


def put(turn: Turn, state: TurnState, **fields: object) -> None:
    """Put a turn where a worker would have left it."""
    Turn.objects.filter(pk=turn.pk).update(state=state, sent_at=clock.now(), **fields)


def end(turn: Turn, state: TurnState, **fields: object) -> None:
    put(turn, state, settled_at=clock.now(), finished_at=clock.now(), **fields)


def write(turn: Turn, *texts: str) -> None:
    written = TurnLine.objects.filter(turn=turn).count()
    for seq, text in enumerate(texts, start=written + 1):
        TurnLine.objects.create(turn=turn, seq=seq, text=text)


def test_the_text_is_seen_while_it_comes(vic: Caller, turn: Turn) -> None:
    page = text_of(browser(vic).get(url("card", turn.card_id)))

    assert "What it writes, as it comes" in page
    assert 'role="log" aria-live="polite"' in page
    assert "<span>One &lt;b&gt;loaf&lt;/b&gt;\nand two rolls.</span>" in page
    assert f'hx-get="{url("turn-lines", turn.pk)}?after=2"' in page


def test_the_page_asks_for_the_lines_behind_those_it_has(vic: Caller, turn: Turn) -> None:
    client = browser(vic)
    write(turn, "And ", "a cake.")

    fresh = text_of(client.get(url("turn-lines", turn.pk), {"after": "2"}))
    again = text_of(client.get(url("turn-lines", turn.pk), {"after": "4"}))

    assert fresh.startswith("<span>And </span><span>a cake.</span><span hx-get=")
    assert f'hx-get="{url("turn-lines", turn.pk)}?after=4"' in fresh
    assert again == fresh.removeprefix("<span>And </span><span>a cake.</span>")


@pytest.mark.parametrize("after", ["", "-1", "x", "9" * 30, "²"])
def test_a_place_that_is_none_is_the_beginning(alice: Caller, turn: Turn, after: str) -> None:
    answer = browser(alice).get(url("turn-lines", turn.pk), {"after": after})

    assert answer.status_code == 200
    assert text_of(answer).startswith("<span>One ")


def test_strangers_see_no_lines_and_nothing_is_written_by_looking(alice: Caller, charlie: Caller, turn: Turn) -> None:
    refused = browser(charlie).get(url("turn-lines", turn.pk))
    posted = browser(alice).post(url("turn-lines", turn.pk))

    assert (refused.status_code, posted.status_code) == (404, 405)
    assert "loaf" not in text_of(refused)


def test_a_turn_that_is_being_stopped_still_shows_what_it_wrote(alice: Caller, turn: Turn) -> None:
    put(turn, TurnState.CANCEL_REQUESTED)

    page = text_of(browser(alice).get(url("card", turn.card_id)))

    assert "What it writes, as it comes" in page
    assert "Stopping" in page


def test_a_finished_turn_shows_its_result_and_no_transcript(alice: Caller, turn: Turn) -> None:
    end(turn, TurnState.DONE, reply="One loaf and two rolls.")

    assert NOTHING not in text_of(browser(alice).get(url("card", turn.card_id)))


@pytest.mark.parametrize(
    ("state", "reply", "shown"),
    [
        (TurnState.UNKNOWN, "", "and two rolls."),
        (TurnState.CANCELED, "One loaf", "<div><span>One loaf</span></div>"),
        (TurnState.FAILED, "Half", "<div><span>Half</span></div>"),
    ],
)
def test_what_was_written_before_the_end_can_be_opened(
    alice: Caller, turn: Turn, state: TurnState, reply: str, shown: str
) -> None:
    end(turn, state, reply=reply)

    page = text_of(browser(alice).get(url("card", turn.card_id)))

    assert "What it had written by then" in page
    assert shown in page
    assert "hx-trigger" not in page[page.index("What it had written") :].split("</details>")[0]


def test_a_turn_that_wrote_nothing_shows_nothing(alice: Caller, line: Line) -> None:
    turn = line.start()

    queued = text_of(browser(alice).get(url("card", turn.card_id)))
    end(turn, TurnState.FAILED)
    failed = text_of(browser(alice).get(url("card", turn.card_id)))

    assert NOTHING not in queued
    assert NOTHING not in failed


def test_of_a_long_text_only_the_end_is_shown(alice: Caller, turn: Turn) -> None:
    write(turn, "x" * 5_990, "The end.")
    page = text_of(browser(alice).get(url("card", turn.card_id)))
    end(turn, TurnState.FAILED, reply="y" * 9_000)

    failed = text_of(browser(alice).get(url("card", turn.card_id)))

    assert "; the beginning is left out" in page
    assert page.count("x" * 5_990 + "The end.") == 1
    assert "loaf" not in page
    assert "; the beginning is left out" in failed
    assert "y" * 6_000 in failed
    assert "y" * 6_001 not in failed


def test_many_lines_take_as_many_queries_as_one(
    alice: Caller, turn: Turn, django_assert_max_num_queries: Callable[..., object]
) -> None:
    client = browser(alice)

    def queries() -> int:
        with django_assert_max_num_queries(25) as asked:  # type: ignore[attr-defined]
            client.get(url("card", turn.card_id))
        return len(asked)

    few = queries()
    write(turn, *["word "] * 50)

    assert queries() == few
