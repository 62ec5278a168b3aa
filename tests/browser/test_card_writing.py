"""What people write on a card: it outlives a reload, a change by somebody else, and a wrong key; and how they find
back what was written."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from boards.models import Card, Comment
from boards.services.cards import edit_card
from boards.services.comments import add_comment
from boards.services.rounds import keep_result, start_round
from tests.browser.judges import barriers, too_wide
from tests.browser.visits import PHONE, Visits
from tests.factories.boards import make_board, make_card, make_file
from workspaces.caller import Caller

TITLE, BRIEF, COMMENT = "#card-title-field", "#card-brief-field", "#comment-text"


@pytest.fixture
def card(alice: Caller) -> Card:
    return make_card(alice, make_board(alice), title="As it was", brief="One **line**.")


@pytest.fixture
def page(opens: Visits, alice: Caller, card: Card) -> Page:
    page = opens(alice)
    page.goto(f"/cards/{card.pk}/")
    return page


def test_a_brief_is_written_with_a_look_at_how_it_will_be(page: Page, card: Card) -> None:
    page.keyboard.press("e")
    expect(page.locator(TITLE)).to_be_focused()
    page.locator(BRIEF).fill("## Three things\n\n- **first**\n")
    page.locator("#preview-brief").click()
    expect(page.locator("#brief-preview h3")).to_have_text("Three things")
    assert barriers(page) == []

    page.locator(BRIEF).press("Control+Enter")

    expect(page.locator("#brief h3")).to_have_text("Three things")
    expect(page.locator("#said")).to_have_text("Card saved.")
    card.refresh_from_db()
    assert card.brief == "## Three things\n\n- **first**\n"


def test_what_one_types_outlives_a_reload_until_it_is_sent(page: Page, card: Card) -> None:
    page.locator(COMMENT).fill("Half a thought")
    page.locator("#edit-card > summary").click()
    page.locator(BRIEF).fill("Half a brief")
    page.reload()

    expect(page.locator(COMMENT)).to_have_value("Half a thought")
    expect(page.locator(BRIEF)).to_have_value("Half a brief")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#brief")).to_have_text("Half a brief")
    expect(page.locator(COMMENT)).to_have_value("Half a thought")
    page.get_by_role("button", name="Add comment").click()
    expect(page.locator(".comment")).to_have_count(1)
    page.reload()

    expect(page.locator(COMMENT)).to_have_value("")
    expect(page.locator(BRIEF)).to_be_hidden()
    assert Comment.objects.filter(card=card).count() == 1


def test_what_came_back_after_a_reload_says_so_and_is_let_go_by_a_button(page: Page) -> None:
    page.locator("#edit-card > summary").click()
    page.locator(TITLE).fill("")
    page.locator(BRIEF).fill("Half a brief")
    page.reload()

    expect(page.locator("#edit-form .unsaved")).to_contain_text("Your unsaved text")
    found = (barriers(page), too_wide(page))
    page.get_by_role("button", name="Discard").click()
    expect(page.locator("#edit-form")).to_be_hidden()
    expect(page.locator("#brief")).to_have_text("One line.")
    page.reload()
    expect(page.locator("#edit-form")).to_be_hidden()
    page.locator("#edit-card > summary").click()

    expect(page.locator(TITLE)).to_have_value("As it was")
    expect(page.locator(BRIEF)).to_have_value("One **line**.")
    expect(page.locator(".unsaved")).to_have_count(0)
    assert found == ([], [])


def test_a_change_by_somebody_else_before_the_reload_is_still_a_conflict_with_both_texts(
    page: Page, alice: Caller, card: Card
) -> None:
    page.locator("#edit-card > summary").click()
    page.locator(BRIEF).fill("My text")
    edit_card(alice, card=card, expected_revision=None, brief="Their text")
    expect(page.locator("#changed-meanwhile")).to_be_visible()
    page.reload()
    expect(page.locator(BRIEF)).to_have_value("My text")

    page.get_by_role("button", name="Save").click()
    expect(page.locator("#as-it-is-now")).to_contain_text("Their text")
    expect(page.locator("#as-it-is-now")).to_contain_text("Alice Archer changed it")
    expect(page.locator(BRIEF)).to_have_value("My text")
    assert (barriers(page), too_wide(page)) == ([], [])
    page.get_by_role("button", name="Save").click()

    expect(page.locator("#brief")).to_have_text("My text")
    card.refresh_from_db()
    assert card.brief == "My text"


def test_what_was_let_go_by_escape_comes_back(page: Page) -> None:
    page.locator("#edit-card > summary").click()
    page.locator(BRIEF).fill("A long text")
    page.keyboard.press("Escape")
    expect(page.locator(BRIEF)).to_be_hidden()

    page.get_by_role("button", name="Bring it back").click()

    expect(page.locator(BRIEF)).to_have_value("A long text")


def test_a_session_that_ended_takes_no_brief_with_it(opens: Visits, page: Page, alice: Caller) -> None:
    page.locator("#edit-card > summary").click()
    page.locator(BRIEF).fill("A long text")
    page.context.clear_cookies()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("[data-code=SIGNED_OUT], [data-code=FORM_EXPIRED]").first).to_be_visible()
    expect(page.locator(BRIEF)).to_have_value("A long text")

    opens.sign_in(page.context, alice)
    page.reload()
    expect(page.locator(BRIEF)).to_have_value("A long text")
    page.get_by_role("button", name="Save").click()

    expect(page.locator("#brief")).to_have_text("A long text")


def test_the_history_is_filtered_and_stays_so_while_things_happen(page: Page, alice: Caller, card: Card) -> None:
    make_file(alice, card, name="a.md")
    filters = page.get_by_role("navigation", name="What the history shows")
    lines = page.locator(".story > li")
    expect(lines).to_have_count(2)

    filters.get_by_role("link", name="Files").click()
    expect(lines).to_have_count(1)
    expect(page.locator("#story-files")).to_be_focused()
    make_file(alice, card, name="b.md")
    expect(lines).to_have_count(2)
    expect(page.locator("#story-files")).to_be_focused()
    page.locator(COMMENT).fill("Seen.")
    page.get_by_role("button", name="Add comment").click()
    expect(page.locator(".comment")).to_have_count(1)
    expect(lines).to_have_count(2)
    expect(page).to_have_url(re.compile(r"\?story=files$"))
    page.reload()

    expect(lines).to_have_count(2)
    filters.get_by_role("link", name="Decisions and moves").click()
    expect(lines).to_have_text([re.compile(r"^Alice Archer added the card\b")], use_inner_text=True)


def test_older_results_are_looked_at_on_a_phone(opens: Visits, alice: Caller, card: Card) -> None:
    for n in (1, 2):
        keep_result(card=card, iteration=start_round(alice, card=card), made_by=alice.actor, markdown=f"# Result {n}")
    page = opens(alice, PHONE)
    page.goto(f"/cards/{card.pk}/")
    result = page.get_by_role("region", name="Result", exact=True)
    expect(result.get_by_role("heading", name="Result 2")).to_be_visible()

    result.get_by_role("link", name="Round 1").click()
    expect(result.get_by_role("heading", name="Result 1")).to_be_visible()
    assert (barriers(page), too_wide(page)) == ([], [])
    result.get_by_role("link", name="Show the newest").click()

    expect(result.get_by_role("heading", name="Result 2")).to_be_visible()


def test_earlier_comments_are_fetched_and_newer_ones_found_again(page: Page, alice: Caller, card: Card) -> None:
    for n in range(52):
        add_comment(alice, card=card, text=f"Comment number {n}.")
    page.reload()
    expect(page.locator(".comment")).to_have_count(50)

    page.get_by_role("link", name="Earlier comments").click()
    expect(page.locator(".comment")).to_have_count(2)
    page.get_by_role("link", name="Newest comments").click()

    expect(page.locator(".comment")).to_have_count(50)


def test_on_paper_stands_what_the_card_says(page: Page, alice: Caller, card: Card) -> None:
    add_comment(alice, card=card, text="Said.")
    page.reload()
    page.emulate_media(media="print")

    for seen in ("#card-title", "#brief", ".comment", ".story"):
        expect(page.locator(seen).first).to_be_visible()
    for gone in ("#comment-form", "#upload", "#edit-card > summary", ".choice-links"):
        expect(page.locator(gone)).to_be_hidden()
