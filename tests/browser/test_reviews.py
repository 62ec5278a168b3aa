"""Deciding on what an agent made, in Chromium: by mouse and keyboard, taken back, and asked for anew."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from agents.models import Turn
from agents.services.agents import publish_agent, write_draft
from agents.services.approvals import ask_first, question_about_files
from boards.models import Card
from reviews.models import Decision, Review
from tests.browser.judges import barriers, too_wide
from tests.browser.visits import DESKTOP, PHONE, TABLET, Visits, time_standing_still
from tests.factories.boards import make_file
from tests.factories.reviews import give_folder, work
from tests.factories.workflows import Line
from workspaces.caller import Caller

TEXT = (
    "# Three tools\n\n| tool | price |\n|---|---|\n| Trowel | 12 |\n| Scraper | 8 |\n\n"
    "- **Trowel** for dough\n- Whisk\n"
)


def open_review(page: Page, review: Review) -> None:
    page.goto(f"/reviews/{review.pk}/")
    expect(page.get_by_role("heading", name=review.card.title)).to_be_visible()


def test_a_decision_waits_two_seconds_and_can_be_taken_back(opens: Visits, alice: Caller, line: Line) -> None:
    give_folder(line)
    review, page = work(line, text=TEXT), opens(alice)
    page.clock.install()
    open_review(page, review)

    with time_standing_still(page):
        page.keyboard.press("a")
        expect(page.locator("#undo")).to_contain_text("Approving")
        page.keyboard.press("Enter")  # the focus stands on Undo
        expect(page.locator("#undo")).to_be_hidden()
    taken_back = Decision.objects.filter(review=review).count()
    page.get_by_role("button", name="Approve").click()
    page.wait_for_url(f"**/cards/{review.card_id}/")

    assert (taken_back, Decision.objects.get(review=review).decision) == (0, "approve")


def test_changes_need_a_note_and_reach_the_agent(opens: Visits, alice: Caller, line: Line) -> None:
    give_folder(line)
    review, page = work(line, text=TEXT), opens(alice, PHONE)
    open_review(page, review)

    page.get_by_role("button", name="Request changes").click()
    expect(page.locator("#undo")).to_be_hidden()
    page.get_by_label("Note").fill("Add a whisk.")
    page.get_by_role("button", name="Request changes").click()
    page.wait_for_url(f"**/cards/{review.card_id}/")

    assert Decision.objects.get(review=review).note == "Add a whisk."


def test_the_pages_of_reviews_keep_nobody_out(opens: Visits, alice: Caller, line: Line) -> None:
    give_folder(line)
    review = work(line, text=TEXT)
    addresses = {
        "list": "/reviews/",
        "review": f"/reviews/{review.pk}/",
        "card": f"/cards/{review.card_id}/",
        "home": "/",
    }

    for scheme in ("light", "dark"):
        for screen in (DESKTOP, TABLET, PHONE):
            page = opens(alice, screen, color_scheme=scheme)
            for name, address in addresses.items():
                page.goto(address)
                page.screenshot(path=opens.pictures / f"reviews-{name}-{screen.width}-{scheme}.png", full_page=True)
                assert too_wide(page) == []
                if screen is not TABLET:
                    assert barriers(page) == []


def test_a_question_is_answered_on_its_page(opens: Visits, alice: Caller, line: Line) -> None:
    write_draft(alice, board=line.board, agent=line.agent, permissions={"read_files": "ask"})
    publish_agent(alice, agent=line.agent)
    make_file(alice, line.card, name="prices.csv", content=b"tool,price\nTrowel,12\n")
    turn = line.start()
    ask_first(turn, question_about_files(turn))
    page = opens(alice, PHONE)
    page.goto(f"/cards/{line.card.pk}/")

    page.get_by_role("link", name="Answer…").click()
    expect(page.get_by_role("heading", name="prices.csv")).to_be_visible()
    page.screenshot(path=opens.pictures / "approval-390.png", full_page=True)
    problems = (too_wide(page), barriers(page))
    page.get_by_role("button", name="Say no").click()
    page.wait_for_url(f"**/cards/{line.card.pk}/")

    assert problems == ([], [])
    assert Turn.objects.get(pk=turn.pk).approvals.get().state in {"denied"}
    assert Card.objects.get(pk=line.card.pk).badge_reason != "APPROVAL"
