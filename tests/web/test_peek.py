"""The panel of a card beside its board."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pytest_django.fixtures import Settings

from tests.factories.boards import make_board, make_card, make_file
from tests.factories.workflows import Line, make_line
from tests.support.cast import browser
from tests.support.fake_provider import FakeProvider
from tests.support.jobs import Ran
from tests.web.pages import HTMX, text_of, url
from workspaces.caller import Caller

HOSTILE = '<script>alert("1")</script><img src=x onerror=alert(2)>'


@pytest.fixture
def line(alice: Caller, settings: Settings) -> Iterator[Line]:
    with FakeProvider() as provider:
        settings.OUTBOUND_LOOPBACK = [provider.pair]
        yield make_line(alice, provider)


def test_the_panel_shows_brief_state_result_and_files(line: Line, drain_jobs: Callable[..., Ran]) -> None:
    make_file(line.caller, line.card, name="till.csv")
    line.start()
    drain_jobs()

    panel = browser(line.caller).get(url("peek-card", line.card.pk), headers=HTMX)

    told = text_of(panel)
    assert "<html" not in told
    assert all(part in told for part in (line.card.title, "Name one strength", "Finished work.", "till.csv", "Done"))
    assert all(url(name, line.card.pk) in told for name in ("card", "move-card", "trash-card"))


def test_what_people_wrote_runs_nowhere(alice: Caller) -> None:
    card = make_card(alice, make_board(alice), title=HOSTILE, brief=HOSTILE)

    panel = text_of(browser(alice).get(url("peek-card", card.pk), headers=HTMX))

    assert "<script" not in panel
    assert "onerror=alert(2)>" not in panel


def test_an_address_with_a_card_brings_the_board_with_its_panel_open(alice: Caller) -> None:
    board = make_board(alice)
    card = make_card(alice, board)
    client = browser(alice)

    led = client.get(url("peek-card", card.pk))
    page = client.get(led["Location"])

    assert led["Location"] == f"{url('board', board.pk)}?card={card.pk}"
    assert '<dialog id="peek" class="peek" aria-labelledby="peek-title" open>' in text_of(page)


@pytest.mark.parametrize("which", ["another board", "absent", "misspelt"])
def test_an_old_address_of_a_card_elsewhere_still_shows_the_board(alice: Caller, which: str) -> None:
    board = make_board(alice)
    card_id = {
        "another board": str(make_card(alice, make_board(alice, name="Other")).pk),
        "absent": "0192f0c5-0000-7000-8000-000000000000",
        "misspelt": "x",
    }[which]

    answer = browser(alice).get(url("board", board.pk), {"card": card_id})

    assert answer.status_code == 200
    assert 'id="peek" class="peek" aria-labelledby="peek-title" open' not in text_of(answer)


def test_without_files_being_on_it_shows_none(alice: Caller) -> None:
    card = make_card(alice, make_board(alice))

    assert "Files" not in text_of(browser(alice).get(url("peek-card", card.pk), headers=HTMX))
