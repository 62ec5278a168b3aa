"""The frame of every page: theme, menu and shortcuts."""

from __future__ import annotations

import re

from playwright.sync_api import Page, Response, expect

from tests.browser.judges import barriers, too_wide
from tests.browser.visits import DESKTOP, PHONE, Visits
from tests.factories.boards import make_board, make_card
from workspaces.caller import Caller

GROUND = "() => getComputedStyle(document.body).backgroundColor"
LIGHT, DARK = "rgb(247, 246, 243)", "rgb(23, 22, 21)"


def choose(page: Page, theme: str) -> None:
    page.locator("#person-menu > summary").click()
    page.get_by_role("group", name="Theme").get_by_role("button", name=theme).click()


def test_a_theme_shows_at_once_and_stays_for_this_browser(opens: Visits, alice: Caller) -> None:
    page = opens(alice, DESKTOP, color_scheme="dark")
    page.goto("/")
    assert page.evaluate(GROUND) == DARK

    with page.expect_response(re.compile("/preferences/")):
        choose(page, "Light")
    at_once = page.evaluate(GROUND)
    page.goto("/settings/")
    page.emulate_media(color_scheme="dark")

    assert (at_once, page.evaluate(GROUND)) == (LIGHT, LIGHT)
    with page.expect_response(re.compile("/preferences/")):
        choose(page, "System")
    assert page.evaluate(GROUND) == DARK


def test_without_scripts_the_theme_is_a_form_that_leads_back(opens: Visits, alice: Caller) -> None:
    page = opens(alice, PHONE, color_scheme="light", java_script_enabled=False)
    page.goto("/settings/")

    choose(page, "Dark")

    expect(page).to_have_url(re.compile("/settings/$"))
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("body")).to_have_css("background-color", DARK)


def test_letters_lead_around_and_the_sheet_names_them(opens: Visits, alice: Caller) -> None:
    board = make_board(alice)
    page = opens(alice)
    page.goto(f"/boards/{board.pk}/")

    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(sheet.get_by_text("Rules", exact=True)).to_be_visible()
    expect(sheet.locator("dl > div", has_text="Open the card").locator("kbd")).to_have_text(["Enter"])
    assert (barriers(page), too_wide(page)) == ([], [])
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    page.keyboard.press("g")
    page.keyboard.press("t")
    page.wait_for_url("**/trash/")  # and for its scripts
    page.keyboard.press("g")
    page.keyboard.press("h")

    expect(page.get_by_role("heading", name="Boards", exact=True)).to_be_visible()


def test_while_one_types_letters_are_letters(opens: Visits, alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    page = opens(alice)
    page.goto(f"/cards/{card.pk}/")

    field = page.get_by_label("Comment", exact=True)
    field.press_sequentially("g h ? g s")
    expect(field).to_have_value("g h ? g s")

    expect(page).to_have_url(re.compile("/cards/"))
    expect(page.locator("#shortcuts")).to_be_hidden()


def test_shortcuts_can_be_turned_off_and_stay_off(opens: Visits, alice: Caller) -> None:
    page = opens(alice)
    page.goto("/")
    page.locator("#person-menu > summary").click()
    page.get_by_role("button", name="Keyboard shortcuts").click()

    with page.expect_response(re.compile("/preferences/")):
        page.get_by_role("dialog").get_by_role("button", name="Off").click()
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    page.goto("/settings/")
    page.keyboard.press("?")
    page.keyboard.press("g")
    page.keyboard.press("h")

    expect(page.locator("#shortcuts")).to_be_hidden()
    expect(page).to_have_url(re.compile("/settings/$"))


def test_the_menu_closes_by_escape_and_by_a_click_beside_it(opens: Visits, alice: Caller) -> None:
    page = opens(alice)
    page.goto("/")
    summary = page.locator("#person-menu > summary")

    summary.click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    assert barriers(page) == []
    page.keyboard.press("Escape")
    expect(summary).to_be_focused()
    expect(page.get_by_role("button", name="Sign out")).to_be_hidden()
    summary.click()
    page.get_by_role("heading", name="Boards", exact=True).click()

    expect(page.get_by_role("button", name="Sign out")).to_be_hidden()


def test_without_a_connection_what_one_typed_stays_and_is_sent_when_it_is_back(opens: Visits, alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    page = opens(alice, DESKTOP)
    page.goto(f"/cards/{card.pk}/")
    page.get_by_label("Comment", exact=True).fill("Written in a tunnel")

    page.route(re.compile("/comments/$"), lambda route: route.abort("internetdisconnected"))
    page.get_by_role("button", name="Add comment").click()
    expect(page.locator("#connection")).to_contain_text("What you typed is still here")
    expect(page.get_by_label("Comment", exact=True)).to_have_value("Written in a tunnel")
    page.unroute(re.compile("/comments/$"))
    page.get_by_role("button", name="Add comment").click()

    expect(page.locator(".comment", has_text="Written in a tunnel")).to_be_visible()
    expect(page.locator("#connection")).to_be_empty()
    opens.trouble.clear()  # Chromium notes the lost request as an error of the console


def test_a_form_without_a_connection_does_not_leave_the_page(opens: Visits, alice: Caller) -> None:
    page = opens(alice)
    page.goto("/settings/")
    page.get_by_label("Name of the workspace").fill("Bread and more")

    page.context.set_offline(True)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#connection")).to_contain_text("No connection")
    page.context.set_offline(False)
    expect(page.locator("#connection")).to_be_empty()
    page.get_by_role("button", name="Save", exact=True).click()

    expect(page.get_by_role("heading", name="Bread and more")).to_be_visible()


def test_a_card_is_found_from_everywhere_by_keyboard(opens: Visits, alice: Caller) -> None:
    make_card(alice, make_board(alice), title="Rye bread", brief="For the market on Saturday.")
    page = opens(alice)
    page.goto("/settings/")

    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Search cards")).to_be_focused()
    page.keyboard.type("market rye")
    page.keyboard.press("Enter")
    expect(page.locator("mark")).to_have_text("market")
    assert (barriers(page), too_wide(page)) == ([], [])
    page.get_by_role("link", name="Rye bread").click()

    expect(page.get_by_role("heading", name="Rye bread", level=1)).to_be_visible()


def test_on_a_phone_the_search_is_a_page_of_its_own(opens: Visits, alice: Caller) -> None:
    page = opens(alice, PHONE)
    page.goto("/")

    page.get_by_role("link", name="Search cards").click()
    page.get_by_label("Words in titles and briefs").fill("brioche")
    page.get_by_role("button", name="Search", exact=True).click()

    expect(page.get_by_text("No card holds “brioche”.")).to_be_visible()
    assert (barriers(page), too_wide(page)) == ([], [])


def test_colours_of_the_system_show_what_is_chosen(opens: Visits, alice: Caller) -> None:
    page = opens(alice, DESKTOP, forced_colors="active")
    page.goto(f"/boards/{make_board(alice).pk}/")
    page.locator("#person-menu > summary").click()

    chosen = page.get_by_role("group", name="Theme").get_by_role("button", name="System")
    expect(chosen).to_have_css("outline-style", "solid")
    expect(page.locator(".tabs [aria-current]")).to_have_css("outline-style", "solid")


def test_on_paper_a_page_is_light_and_without_its_frame(opens: Visits, alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    page = opens(alice, DESKTOP, color_scheme="dark")
    page.goto(f"/cards/{card.pk}/")

    page.emulate_media(media="print", color_scheme="dark")

    expect(page.locator("#person-menu")).to_be_hidden()
    expect(page.locator(".tabs, .find").first).to_be_hidden()
    assert page.evaluate("() => getComputedStyle(document.documentElement).colorScheme") == "light"


def test_parts_of_a_page_are_kept_for_years(opens: Visits, alice: Caller) -> None:
    page, answers = opens(alice), list[Response]()
    page.on("response", lambda answer: answers.append(answer))
    page.goto("/")

    parts = [answer for answer in answers if "/static/" in answer.url and ".svg" not in answer.url]
    assert len(parts) == 3
    for headers in [part.all_headers() for part in parts]:
        assert "immutable" in headers["cache-control"]
        assert (headers["content-encoding"], bool(headers.get("etag"))) == ("gzip", True)
    page.goto("/settings/")
    assert page.evaluate("() => performance.getEntriesByType('resource').every((one) => one.transferSize === 0)")
