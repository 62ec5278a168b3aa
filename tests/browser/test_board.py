"""Boards and their cards: made, moved, thrown away and taken back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.judges import barriers, too_wide
from tests.browser.visits import DESKTOP, PHONE, Screen, Visits
from tests.factories.boards import make_board, make_card
from workspaces.caller import Caller

SCREENS = pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desktop", "phone"])


def add_card(page: Page, title: str) -> None:
    column = page.get_by_role("region", name="To do")
    column.get_by_label("Add a card to To do").click()
    column.get_by_label("Title").fill(title)
    column.get_by_role("button", name="Add card").click()


@SCREENS
def test_from_nothing_to_a_board_with_a_card_and_a_column(opens: Visits, alice: Caller, screen: Screen) -> None:
    page = opens(alice, screen)
    page.goto("/")
    assert barriers(page) == []

    page.get_by_text("New board", exact=True).click()
    page.get_by_label("Name", exact=True).fill("Customer feedback")
    page.get_by_label("What it is for").fill("What customers told us this week.")
    page.get_by_role("button", name="Add board").click()
    page.wait_for_url(re.compile("/boards/"))
    add_card(page, "Read the till slips")
    expect(page.get_by_role("link", name="Read the till slips", exact=True)).to_be_visible()
    page.get_by_text("Add a column").click()
    page.get_by_label("Name of the column").last.fill("Check")
    page.get_by_role("button", name="Add column").click()
    expect(page.get_by_role("heading", name="Check")).to_be_visible()

    assert (barriers(page), too_wide(page)) == ([], [])


@SCREENS
def test_a_move_shows_what_it_does_before_it_does_it(opens: Visits, alice: Caller, screen: Screen) -> None:
    board = make_board(alice)
    card = make_card(alice, board)
    page = opens(alice, screen)
    page.goto(f"/boards/{board.pk}/")

    page.locator(f"#move-{card.pk}").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Doing").check()
    expect(dialog.get_by_role("heading", name="What will happen")).to_be_visible()
    assert (barriers(page), too_wide(page)) == ([], [])
    dialog.get_by_role("button", name="Move to Doing").click()

    expect(dialog).to_be_hidden()
    expect(page.get_by_role("region", name="Doing").get_by_role("link", name=card.title, exact=True)).to_be_visible()
    expect(page.locator("#said")).to_have_text("Moved to Doing.")


def test_a_card_goes_to_the_trash_and_comes_back(opens: Visits, alice: Caller) -> None:
    board = make_board(alice)
    card = make_card(alice, board)
    page = opens(alice)
    page.goto(f"/cards/{card.pk}/")

    page.get_by_role("link", name="Move to trash…").click()
    page.get_by_role("dialog").locator("#confirm").click()
    expect(page.get_by_role("heading", name="This card is in the trash")).to_be_visible()
    page.goto(f"/boards/{board.pk}/")
    expect(page.get_by_role("link", name=card.title, exact=True)).to_have_count(0)
    page.get_by_role("link", name="Trash").click()
    page.get_by_role("button", name=f"Restore “{card.title}”").click()
    expect(page.get_by_text("The trash is empty.")).to_be_visible()
    page.get_by_role("link", name="Cards").click()

    expect(page.get_by_role("link", name=card.title, exact=True)).to_be_visible()


def test_a_board_that_somebody_else_changes_changes_in_front_of_one(opens: Visits, alice: Caller) -> None:
    board = make_board(alice)
    watching, working = opens(alice), opens(alice)
    watching.goto(f"/boards/{board.pk}/")
    working.goto(f"/boards/{board.pk}/")

    add_card(working, "Seen by both")

    expect(watching.get_by_role("link", name="Seen by both", exact=True)).to_be_visible()
