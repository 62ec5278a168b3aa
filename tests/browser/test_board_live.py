"""A board that stays open while others work on it: what changed shows, and nothing that one does is disturbed."""

from __future__ import annotations

from playwright.sync_api import Page, Route, expect

from boards.services.cards import edit_card
from boards.services.placing import reorder_card
from boards.services.stages import add_stage
from boards.services.trash import put_into_trash
from boards.states import StageRole
from tests.browser.visits import Visits
from tests.factories.boards import make_board, make_card, stage_of
from workflows.services.moves import move_card, preview_move
from workspaces.caller import Caller


def asked_for(page: Page) -> list[str]:
    """Return a list that fills with the pieces of the board that the page fetches."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/boards/" in request.url else None)
    return asked


def test_only_the_card_that_changed_is_fetched_and_what_one_types_stays(opens: Visits, alice: Caller) -> None:
    board = make_board(alice)
    cards = [make_card(alice, board, title=f"Card {n}") for n in range(30)]
    doing = stage_of(board, StageRole.MIDDLE)
    page = opens(alice)
    with page.expect_response(lambda answer: "/events" in answer.url):
        page.goto(f"/boards/{board.pk}/")
    asked = asked_for(page)
    column = page.locator(f"#stage-{stage_of(board).pk}")
    column.get_by_label("Add a card to To do").click()
    column.get_by_label("Title").fill("Half a tho")
    page.evaluate("() => { document.querySelector('.column-cards').scrollTop = 400; }")
    page.evaluate("() => { window.before = document.querySelectorAll('.tile')[9]; }")

    preview = preview_move(alice, card=cards[3], stage=doing)
    move_card(alice, card=cards[3], stage=doing, preview_hash=preview.preview_hash)

    expect(page.locator(f"#cards-{doing.pk} .tile-title")).to_have_text(["Card 3"])
    expect(page.locator(f"#count-{stage_of(board).pk}")).to_contain_text("29")
    expect(column.get_by_label("Title")).to_have_value("Half a tho")
    expect(column.get_by_label("Title")).to_be_focused()
    assert page.evaluate("() => document.querySelector('.column-cards').scrollTop") == 400
    assert page.evaluate("() => window.before.isConnected")
    assert {url.split("?")[0].rsplit("/", 2)[1] for url in asked} == {"tiles"}


def test_cards_appear_move_and_leave_where_they_belong(opens: Visits, alice: Caller) -> None:
    board = make_board(alice)
    one, two, three = (make_card(alice, board, title=title) for title in ("One", "Two", "Three"))
    page = opens(alice)
    with page.expect_response(lambda answer: "/events" in answer.url):
        page.goto(f"/boards/{board.pk}/")
    titles = page.locator(f"#cards-{stage_of(board).pk} .tile-title")
    page.locator(f"#tile-{two.pk}").focus()

    reorder_card(alice, card=three, before=one)
    expect(titles).to_have_text(["Three", "One", "Two"])
    edit_card(alice, card=one, expected_revision=one.revision, title="One and a half")
    expect(titles).to_have_text(["Three", "One and a half", "Two"])
    make_card(alice, board, title="Four")
    expect(titles).to_have_text(["Three", "One and a half", "Two", "Four"])
    put_into_trash(alice, card=three)
    expect(titles).to_have_text(["One and a half", "Two", "Four"])
    add_stage(alice, board=board, name="Check")
    expect(page.get_by_role("heading", name="Check")).to_be_visible()

    expect(page.locator(f"#tile-{two.pk}")).to_be_focused()


def test_two_tabs_that_drag_at_once_end_with_the_same_board(opens: Visits, alice: Caller) -> None:
    board = make_board(alice)
    one, _two = (make_card(alice, board, title=title) for title in ("One", "Two"))
    first = opens(alice)
    second = opens.another_tab(first.context)
    for tab in (first, second):
        tab.goto(f"/boards/{board.pk}/")
        tab.locator(f"#tile-{one.pk}").focus()

    for tab, steps in ((first, ["ArrowRight"]), (second, ["ArrowRight", "ArrowRight"])):
        tab.locator(f"#tile-{one.pk}").focus()
        for key in ("Space", *steps, "Space"):
            tab.keyboard.press(key)
        expect(tab.locator("#toast")).to_contain_text("One")

    for tab in (first, second):
        expect(tab.locator(f"#cards-{stage_of(board, StageRole.DONE).pk} .tile-title")).to_have_text(["One"])
        expect(tab.locator(f"#cards-{stage_of(board).pk} .tile-title")).to_have_text(["Two"])


def test_a_lost_connection_says_so_and_what_was_missed_shows_when_it_is_back(opens: Visits, alice: Caller) -> None:
    board = make_board(alice)
    page = opens(alice)
    is_cut = True

    def pass_on(route: Route) -> None:
        if is_cut:
            route.fulfill(status=503, body="")
        else:
            route.continue_()

    page.route("**/events?**", pass_on)
    page.goto(f"/boards/{board.pk}/")
    expect(page.locator("#connection")).to_have_text("Connection lost, trying again…")
    make_card(alice, board, title="Missed")
    is_cut = False

    expect(page.get_by_role("link", name="Missed", exact=True)).to_be_visible()
    expect(page.locator("#connection")).to_have_text("")
    opens.trouble.clear()  # Chromium notes each refused stream
