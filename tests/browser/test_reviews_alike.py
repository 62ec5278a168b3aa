"""Reviews that are alike, in Chromium: looked at together, ticked by keyboard, approved in one go or taken back."""

from __future__ import annotations

from playwright.sync_api import expect

from reviews.models import Decision, Review
from tests.browser.judges import barriers, too_wide
from tests.browser.visits import DESKTOP, PHONE, Visits, time_standing_still
from tests.factories.boards import make_card
from tests.factories.reviews import give_folder, work
from tests.factories.workflows import Line
from workspaces.caller import Caller

TITLES = ("Answer the bakery in Ghent", "Answer a very long question about ovens and their doors", "Answer the mill")
TEXT = "## Dear baker\n\nThank you for writing. We ship on **Tuesdays**.\n\n- Bread\n- Rolls\n"


def wait_in_line(line: Line) -> list[Review]:
    reviews = []
    for title in TITLES:
        line.card = make_card(line.caller, line.board, title=title)
        reviews.append(work(line, text=f"{TEXT}\nYours, about “{title}”.\n"))
    return reviews


def test_several_are_looked_at_and_approved_in_one_go(opens: Visits, alice: Caller, line: Line) -> None:
    give_folder(line)
    reviews, page = wait_in_line(line), opens(alice)
    page.clock.install()
    page.goto("/reviews/")

    page.get_by_role("link", name="Look at them together").click()
    page.wait_for_load_state()  # and its scripts
    expect(page.get_by_text("0 of 3 ticked")).to_be_visible()
    page.keyboard.press("a")  # with nothing ticked nothing is sent
    expect(page.locator("#undo")).to_be_hidden()
    for title in TITLES[:2]:
        page.get_by_label(f"I have looked at it: approve “{title}”").focus()
        page.keyboard.press("Space")
    expect(page.get_by_text("2 of 3 ticked")).to_be_visible()
    with time_standing_still(page):
        page.keyboard.press("a")
        expect(page.locator("#undo")).to_contain_text("Approving")
        page.keyboard.press("Escape")
        expect(page.locator("#undo")).to_be_hidden()
    taken_back = Decision.objects.filter(review__in=reviews).count()
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("heading", name="Approved", exact=True)).to_be_visible()
    opens.picture(page, "approved")

    decided = set(Decision.objects.filter(review__in=reviews).values_list("review__card__title", flat=True))
    assert (taken_back, decided) == (0, set(TITLES[:2]))


def test_the_pages_of_what_is_alike_keep_nobody_out(opens: Visits, alice: Caller, line: Line) -> None:
    give_folder(line)
    first, second, _ = wait_in_line(line)

    for scheme in ("light", "dark"):
        for screen in (DESKTOP, PHONE):
            page = opens(alice, screen, color_scheme=scheme)
            for name, address in {"list": "/reviews/", "alike": f"/reviews/{first.pk}/alike/"}.items():
                page.goto(address)
                page.screenshot(path=opens.pictures / f"alike-{name}-{screen.width}-{scheme}.png", full_page=True)
                assert (too_wide(page), barriers(page)) == ([], [])

    page.get_by_label(f"approve “{TITLES[0]}”").check()
    page.get_by_label(f"approve “{TITLES[1]}”").check()
    Review.objects.filter(pk=second.pk).update(n=7)
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("heading", name="1 approved, 1 not")).to_be_visible()
    page.screenshot(path=opens.pictures / "alike-partly-390-dark.png", full_page=True)
    assert (too_wide(page), barriers(page)) == ([], [])
