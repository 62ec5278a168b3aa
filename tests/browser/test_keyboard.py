"""With a keyboard and nothing else, and for people whom movement disturbs."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.visits import DESKTOP, Visits
from tests.factories.boards import make_board, make_card
from tests.factories.workflows import Line
from workspaces.caller import Caller

FOCUSED = "document.activeElement.id"
IN_DIALOG = "document.activeElement === document.body || document.activeElement.closest('dialog') !== null"
MOVING = """() => [...document.querySelectorAll("*")].flatMap((part) => ["", "::before", "::after"].filter((pseudo) => {
  const style = getComputedStyle(part, pseudo);
  return style.animationName !== "none" || style.transitionDuration.split(", ").some((each) => parseFloat(each) > 0);
}).map((pseudo) => part.className + pseudo))"""


def tab_to(page: Page, element_id: str) -> None:
    """Press Tab until that element has focus."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUSED) == element_id:
            return
    raise AssertionError(f"Tab does not reach {element_id}.")


def test_the_first_stop_leads_past_the_frame(opens: Visits, alice: Caller) -> None:
    page = opens(alice)
    page.goto("/")

    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")

    expect(page.locator("#main")).to_be_focused()


def test_a_card_is_added_by_keyboard_and_focus_stays_in_its_form(opens: Visits, alice: Caller) -> None:
    board = make_board(alice)
    page = opens(alice)
    page.goto(f"/boards/{board.pk}/")
    summary = page.get_by_label("Add a card to To do")

    summary.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="To do").get_by_label("Title")).to_be_focused()
    page.keyboard.type("By keyboard")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="By keyboard", exact=True)).to_be_visible()
    expect(page.locator("details[open] :focus")).to_have_count(1)
    page.keyboard.press("Escape")

    expect(summary).to_be_focused()


def test_a_dialog_keeps_focus_and_gives_it_back(opens: Visits, alice: Caller) -> None:
    board = make_board(alice)
    card = make_card(alice, board)
    page = opens(alice)
    page.goto(f"/boards/{board.pk}/")

    tab_to(page, f"move-{card.pk}")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    inside = []
    for _ in range(12):
        page.keyboard.press("Tab")
        inside.append(page.evaluate(IN_DIALOG))
    page.keyboard.press("Escape")

    assert all(inside)
    expect(dialog).to_be_hidden()
    expect(page.locator(f"#move-{card.pk}")).to_be_focused()


def test_a_card_is_moved_by_keyboard(opens: Visits, alice: Caller) -> None:
    board = make_board(alice)
    card = make_card(alice, board)
    page = opens(alice)
    page.goto(f"/boards/{board.pk}/")

    tab_to(page, f"move-{card.pk}")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    tab_to(page, page.get_by_role("dialog").get_by_label("Doing").get_attribute("id") or "")
    page.keyboard.press("Space")
    expect(page.locator("#consequences")).to_be_visible()
    tab_to(page, "confirm-move")
    page.keyboard.press("Enter")

    expect(page.get_by_role("region", name="Doing").get_by_role("link", name=card.title, exact=True)).to_be_visible()


def test_a_rule_is_chosen_as_fast_as_one_can_and_the_last_choice_counts(opens: Visits, line: Line) -> None:
    page = opens(line.caller)
    page.goto(f"/boards/{line.board.pk}/rules/new/")

    page.evaluate(
        """(chosen) => {
          for (const [id, value] of chosen) {
            const select = document.getElementById(id);
            select.value = value;
            select.dispatchEvent(new Event("change", { bubbles: true }));
          }
        }""",
        [
            ["from-stage", str(line.todo.pk)],
            ["rule-agent", str(line.agent.pk)],
            ["to-stage", str(line.done.pk)],
            ["to-stage", str(line.doing.pk)],
        ],
    )

    expect(page.locator("#rule-form .consequences")).to_contain_text(line.doing.name)
    expect(page.locator("#from-stage")).to_have_value(str(line.todo.pk))
    expect(page.locator("#to-stage")).to_have_value(str(line.doing.pk))


def test_nothing_moves_for_who_wants_no_movement(opens: Visits, alice: Caller) -> None:
    board = make_board(alice)
    make_card(alice, board)
    page = opens(alice, DESKTOP, reduced_motion="reduce")
    page.goto(f"/boards/{board.pk}/")

    assert page.evaluate(MOVING) == []
