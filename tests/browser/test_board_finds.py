"""The board as people look around on it: the panel of a card, the filter, more cards, and the columns on a phone."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from boards.services.cards import set_badge
from boards.states import Badge, StageRole
from tests.browser.judges import barriers, too_wide
from tests.browser.visits import DESKTOP, PHONE, SMALL_PHONE, TABLET, Visits
from tests.factories.boards import make_board, make_card, make_file, stage_of
from tests.factories.workflows import Line
from workspaces.caller import Caller

SMALL = """() => [...document.querySelectorAll("main a, main button, main summary, main input, main select")]
  .filter((part) => part.checkVisibility() && !part.closest(".prose, .column-rule, .tile-title"))
  .filter((part) => part.getBoundingClientRect().height < 43.5)
  .map((part) => part.outerHTML.slice(0, 90))"""


def test_a_card_opens_beside_the_board_has_an_address_and_closes_with_back(opens: Visits, line: Line) -> None:
    make_file(line.caller, line.card, name="till.csv")
    page = opens(line.caller)
    page.goto(f"/boards/{line.board.pk}/?q=tools")
    panel = page.locator("#peek")

    page.locator(f"#tile-{line.card.pk}").click()
    expect(panel.get_by_role("heading", name=line.card.title)).to_be_focused()
    expect(panel).to_contain_text("Name one strength of each.")
    expect(panel.get_by_role("link", name="till.csv")).to_be_visible()
    expect(page).to_have_url(re.compile(rf"\?q=tools&card={line.card.pk}$"))
    assert barriers(page) == []
    page.go_back()
    expect(panel).to_be_hidden()
    expect(page.locator(f"#tile-{line.card.pk}")).to_be_focused()
    page.go_forward()
    expect(panel).to_be_visible()
    page.keyboard.press("Escape")

    expect(panel).to_be_hidden()
    expect(page).to_have_url(re.compile(r"\?q=tools$"))
    expect(page.locator(f"#tile-{line.card.pk}")).to_be_focused()


def test_the_address_of_an_open_card_opens_it_also_without_scripts(opens: Visits, alice: Caller) -> None:
    board = make_board(alice)
    card = make_card(alice, board)
    page, bare = opens(alice), opens(alice, DESKTOP, java_script_enabled=False)
    for each in (page, bare):
        each.goto(f"/cards/{card.pk}/peek/")
        expect(each.locator("#peek").get_by_role("heading", name=card.title)).to_be_visible()

    page.get_by_label("Close").click()
    bare.get_by_label("Close").click()

    for each in (page, bare):
        expect(each.locator("#peek")).to_be_hidden()
        expect(each).to_have_url(re.compile(f"/boards/{board.pk}/$"))


def test_a_card_moved_from_its_panel_shows_where_it_is(opens: Visits, alice: Caller) -> None:
    board = make_board(alice)
    card = make_card(alice, board)
    page = opens(alice)
    page.goto(f"/boards/{board.pk}/?card={card.pk}")

    page.get_by_role("link", name="Move…").click()
    page.locator("#dialog").get_by_label("Doing").check()
    page.locator("#confirm-move").click()

    expect(page.locator("#peek .peek-where")).to_have_text("Doing")
    expect(page.locator("#dialog")).to_be_hidden()


def test_the_filter_narrows_while_one_types_and_lives_in_the_address(opens: Visits, alice: Caller) -> None:
    board = make_board(alice)
    flour = make_card(alice, board, title="Weigh the flour", brief="Rye and wheat.")
    salt = make_card(alice, board, title="Buy salt", brief="Coarse, for the rye.")
    make_card(alice, board, title="Sweep", stage=stage_of(board, StageRole.DONE))
    set_badge(salt, Badge.BLOCKED, "API_UNAVAILABLE")
    page = opens(alice)
    page.goto(f"/boards/{board.pk}/")
    titles = page.locator(".tile-title")

    page.keyboard.press("/")
    expect(page.locator("#find")).to_be_focused()
    page.keyboard.type("RYE")
    expect(titles).to_have_text(["Weigh the flour", "Buy salt"])
    expect(page.locator("#found")).to_contain_text("2 of 3 cards")
    expect(page.locator(f"#count-{stage_of(board).pk}")).to_contain_text("2 of 2")
    page.get_by_label("State").select_option("blocked")
    expect(titles).to_have_text(["Buy salt"])
    expect(page).to_have_url(re.compile(r"\?q=RYE&state=blocked$"))
    page.reload()
    expect(titles).to_have_text(["Buy salt"])
    expect(page.locator("#find")).to_have_value("RYE")
    page.locator("#find").fill("rice")
    expect(page.locator("#found")).to_contain_text("Nothing found: none of 3 cards fits “rice” and the filter.")
    assert (barriers(page), too_wide(page)) == ([], [])
    page.get_by_role("link", name="Show all cards").click()

    expect(titles).to_have_count(3)
    expect(page).to_have_url(re.compile(f"/boards/{board.pk}/$"))
    expect(page.locator(f"#tile-{flour.pk}")).to_be_visible()


def test_the_filter_works_without_scripts(opens: Visits, alice: Caller) -> None:
    board = make_board(alice)
    make_card(alice, board, title="Weigh the flour")
    make_card(alice, board, title="Buy salt")
    page = opens(alice, DESKTOP, java_script_enabled=False)
    page.goto(f"/boards/{board.pk}/")

    page.get_by_label("Find cards").fill("salt")
    page.get_by_label("Owner").select_option(label="Me")
    page.get_by_role("button", name="Filter").click()

    expect(page.locator(".tile-title")).to_have_text(["Buy salt"])
    expect(page).to_have_url(re.compile("q=salt&state=&owner=me"))


def test_a_long_column_shows_more_when_asked_and_when_its_end_comes_near(opens: Visits, alice: Caller) -> None:
    board = make_board(alice)
    for n in range(130):
        make_card(alice, board, title=f"Card {n}")
    page = opens(alice)
    page.goto(f"/boards/{board.pk}/")
    cards = page.locator(f"#cards-{stage_of(board).pk} .tile")
    more = page.locator(f"#more-{stage_of(board).pk}")

    expect(cards).to_have_count(20)
    expect(page.locator(f"#count-{stage_of(board).pk}")).to_contain_text("130")
    more.click()
    expect(cards).to_have_count(70)
    expect(more).to_contain_text("Show 50 more")
    cards.last.scroll_into_view_if_needed()
    expect(cards).to_have_count(120)
    more.focus()
    page.keyboard.press("Enter")

    expect(cards).to_have_count(130)
    expect(more).to_be_hidden()
    expect(page.locator(".tile-title").nth(120).get_by_role("link")).to_be_focused()
    expect(page.locator(".tile-title")).to_have_text([f"Card {n}" for n in range(130)])


def test_more_cards_of_a_column_have_a_page_without_scripts(opens: Visits, alice: Caller) -> None:
    board = make_board(alice)
    for n in range(75):
        make_card(alice, board, title=f"Card {n}")
    page = opens(alice, DESKTOP, java_script_enabled=False)
    page.goto(f"/boards/{board.pk}/")

    page.get_by_role("link", name="Show 50 more of To do").click()
    expect(page.locator(".tile-title")).to_have_text([f"Card {n}" for n in range(20, 70)])
    page.get_by_role("link", name="Show 5 more of To do").click()

    expect(page.locator(".tile-title")).to_have_text([f"Card {n}" for n in range(70, 75)])


def test_a_phone_opens_where_somebody_is_waited_for_and_switches_columns(opens: Visits, alice: Caller) -> None:
    board = make_board(alice)
    make_card(alice, board, title="New")
    stuck = make_card(alice, board, title="Stuck", stage=stage_of(board, StageRole.MIDDLE))
    set_badge(stuck, Badge.WAITING, "AI_ACCOUNT_REQUIRED")
    page = opens(alice, PHONE)
    page.goto(f"/boards/{board.pk}/")
    switch = page.get_by_role("navigation", name="Columns")

    expect(page.locator(f"#card-{stuck.pk}")).to_be_in_viewport(ratio=1)
    expect(switch.locator("[aria-current]")).to_have_text(re.compile("Doing"))
    switch.get_by_role("link", name="To do").click()
    expect(page.get_by_role("link", name="New", exact=True)).to_be_in_viewport(ratio=1)
    expect(switch.locator("[aria-current]")).to_have_text(re.compile("To do"))

    assert page.evaluate(SMALL) == []
    assert (barriers(page), too_wide(page)) == ([], [])


def test_the_board_and_its_panel_fit_every_screen(opens: Visits, line: Line) -> None:
    wide = {}
    for screen in (SMALL_PHONE, PHONE, TABLET, DESKTOP):
        page = opens(line.caller, screen)
        page.goto(f"/boards/{line.board.pk}/?card={line.card.pk}")
        expect(page.locator("#peek-title")).to_be_visible()
        wide[screen.width] = too_wide(page) + _of_the_panel(page)

    assert wide == {screen.width: [] for screen in (SMALL_PHONE, PHONE, TABLET, DESKTOP)}


def _of_the_panel(page: Page) -> list[str]:
    return (
        []
        if page.evaluate("(panel => panel.scrollWidth <= panel.clientWidth)(document.getElementById('peek'))")
        else ["panel"]
    )
