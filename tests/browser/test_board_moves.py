"""Cards in the hand: dragged with the mouse and with a finger, carried by keys, let go, taken back and refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Locator, Page, expect

from boards.models import Board, Card, Stage
from boards.services.stages import add_stage
from boards.states import StageRole
from tests.browser.judges import barriers
from tests.browser.site import Site
from tests.browser.visits import PHONE, Visits, time_standing_still
from tests.factories.boards import make_board, make_card, stage_of
from tests.factories.workflows import Line, make_line
from workspaces.caller import Caller


def tile(page: Page, card: Card) -> Locator:
    return page.locator(f"#card-{card.pk}")


def link(page: Page, card: Card) -> Locator:
    return page.locator(f"#tile-{card.pk}")


def shows(page: Page, stage: Stage, *titles: str) -> None:
    expect(page.locator(f"#cards-{stage.pk} .tile-title")).to_have_text(list(titles))


def order_of(stage: Stage) -> list[str]:
    return list(Card.objects.filter(stage=stage).order_by("place__position").values_list("title", flat=True))


def middle(part: Locator) -> tuple[float, float]:
    box = part.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@contextmanager
def in_the_hand(page: Page, part: Locator, to: Locator, below: float = 0) -> Iterator[None]:
    """Hold a part with the mouse over the middle of another one, or so much below it; let go at the end."""
    page.mouse.move(*middle(part))
    page.mouse.down()
    x, y = middle(to)
    page.mouse.move(x, y + below, steps=8)
    yield
    page.mouse.up()


def a_board(alice: Caller) -> tuple[Board, list[Card]]:
    board = make_board(alice)
    return board, [make_card(alice, board, title=title) for title in ("One", "Two", "Three")]


def test_a_card_is_dragged_within_its_column_and_to_another_one_and_taken_back(opens: Visits, alice: Caller) -> None:
    board, (one, two, three) = a_board(alice)
    todo, doing = stage_of(board), stage_of(board, StageRole.MIDDLE)
    other = make_card(alice, board, stage=doing, title="Other")
    page = opens(alice)
    page.goto(f"/boards/{board.pk}/")

    with in_the_hand(page, tile(page, three), tile(page, one), below=-20):
        expect(page.locator(".drop-mark")).to_be_visible()
    expect(page.locator("#toast")).to_contain_text("“Three” has a new place.")
    assert order_of(todo) == ["Three", "One", "Two"]
    with in_the_hand(page, tile(page, two), tile(page, other), below=30):
        pass
    expect(page.locator("#toast")).to_contain_text("“Two” is in Doing now.")
    shows(page, doing, "Other", "Two")
    assert (order_of(todo), order_of(doing)) == (["Three", "One"], ["Other", "Two"])
    assert barriers(page) == []
    page.get_by_role("button", name="Undo").click()

    expect(page.locator("#toast")).to_have_text("“Two” is back in To do.")
    shows(page, todo, "Three", "One", "Two")
    assert (order_of(todo), order_of(doing)) == (["Three", "One", "Two"], ["Other"])
    expect(page.locator(f"#count-{todo.pk}")).to_contain_text("3")


def test_escape_puts_a_dragged_card_back_and_nothing_is_sent(opens: Visits, alice: Caller) -> None:
    board, (one, two, _) = a_board(alice)
    page = opens(alice)
    page.goto(f"/boards/{board.pk}/")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)

    with in_the_hand(page, tile(page, two), tile(page, one), below=-20):
        page.keyboard.press("Escape")
    expect(page.locator("#said")).to_have_text("Two is back where it was.")

    shows(page, stage_of(board), "One", "Two", "Three")
    expect(page.locator(".ghost, .drop-mark")).to_have_count(0)
    assert sent == []


def test_a_drop_that_starts_work_asks_first_and_is_put_back_when_one_says_no(opens: Visits, line: Line) -> None:
    page = opens(line.caller)
    page.goto(f"/boards/{line.board.pk}/")
    dialog = page.get_by_role("dialog")

    with in_the_hand(page, tile(page, line.card), page.locator(f"#stage-{line.doing.pk}")):
        pass
    expect(dialog.get_by_role("heading", name="What will happen")).to_be_visible()
    expect(dialog.locator("#consequences")).to_contain_text("Researcher")
    assert barriers(page) == []
    dialog.get_by_role("button", name="Cancel").click()
    expect(page.locator(f"#cards-{line.todo.pk}").locator(f"#card-{line.card.pk}")).to_be_visible()
    assert line.fresh_card().stage == line.todo

    with in_the_hand(page, tile(page, line.card), page.locator(f"#stage-{line.doing.pk}")):
        pass
    dialog.get_by_role("button", name="Move to Doing").click()

    expect(dialog).to_be_hidden()
    expect(page.locator(f"#cards-{line.done.pk}").locator(f"#card-{line.card.pk}")).to_be_visible()
    assert line.fresh_card().stage == line.done


def test_a_preview_that_changed_is_shown_anew_before_anything_moves(opens: Visits, line: Line) -> None:
    page = opens(line.caller)
    page.goto(f"/boards/{line.board.pk}/")
    with in_the_hand(page, tile(page, line.card), page.locator(f"#stage-{line.doing.pk}")):
        pass
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("#consequences")).to_be_visible()
    Card.objects.filter(pk=line.card.pk).update(revision=7)

    dialog.get_by_role("button", name="Move to Doing").click()
    expect(dialog.locator("[data-code=PREVIEW_CHANGED]")).to_be_visible()
    assert line.fresh_card().stage == line.todo
    dialog.get_by_role("button", name="Move to Doing").click()

    expect(page.locator(f"#cards-{line.done.pk}").locator(f"#card-{line.card.pk}")).to_be_visible()


def test_a_refused_drop_says_why_and_the_card_goes_back(opens: Visits, site: Site, alice: Caller) -> None:
    line = make_line(alice, site.provider, pays=False)
    line.start()
    page = opens(alice)
    page.goto(f"/boards/{line.board.pk}/")

    with in_the_hand(page, tile(page, line.card), page.locator(f"#stage-{line.done.pk}")):
        pass

    expect(page.locator("#notices [data-code=CARD_BUSY]")).to_be_visible()
    shows(page, line.doing, line.card.title)
    expect(page.locator("#said")).to_have_text(f"{line.card.title} is back where it was.")
    assert line.fresh_card().stage == line.doing


def test_a_card_is_carried_by_keys_and_each_step_is_said(opens: Visits, alice: Caller) -> None:
    board, (one, two, three) = a_board(alice)
    doing = stage_of(board, StageRole.MIDDLE)
    make_card(alice, board, stage=doing, title="Other")
    page = opens(alice)
    page.goto(f"/boards/{board.pk}/")
    said = page.locator("#said")

    link(page, one).focus()
    page.keyboard.press("ArrowDown")
    expect(link(page, two)).to_be_focused()
    page.keyboard.press("End")
    expect(link(page, three)).to_be_focused()
    page.keyboard.press("Space")
    expect(said).to_have_text(re.compile("^Three picked up"))
    page.keyboard.press("ArrowUp")
    expect(said).to_have_text("To do, 2 of 3")
    page.keyboard.press("ArrowRight")
    expect(said).to_have_text("Doing, 2 of 2")
    page.keyboard.press("ArrowUp")
    expect(said).to_have_text("Doing, 1 of 2")
    page.keyboard.press("Space")

    expect(page.locator("#toast")).to_contain_text("“Three” is in Doing now.")
    expect(link(page, three)).to_be_focused()
    shows(page, doing, "Three", "Other")
    assert order_of(doing) == ["Three", "Other"]
    page.keyboard.press("z")
    expect(page.locator("#toast")).to_have_text("“Three” is back in To do.")
    assert order_of(stage_of(board)) == ["One", "Two", "Three"]


def test_escape_puts_a_carried_card_back_and_tab_stops_once_in_a_column(opens: Visits, alice: Caller) -> None:
    board, (_one, two, _) = a_board(alice)
    page = opens(alice)
    page.goto(f"/boards/{board.pk}/")

    link(page, two).focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")

    expect(link(page, two)).to_be_focused()
    shows(page, stage_of(board), "One", "Two", "Three")
    expect(page.locator(".tile-title a[tabindex='0']")).to_have_count(1)
    page.keyboard.press("m")
    expect(page.get_by_role("dialog")).to_contain_text("Move “Two”")
    page.keyboard.press("Escape")
    expect(link(page, two)).to_be_focused()
    page.keyboard.press("Space")
    expect(page.locator("#said")).to_have_text(re.compile("^Two picked up"))
    page.keyboard.press("Escape")


def test_a_finger_that_rests_takes_a_card_and_one_that_moves_scrolls(opens: Visits, alice: Caller) -> None:
    board, (one, _two, three) = a_board(alice)
    page = opens(alice, PHONE)
    page.clock.install()
    page.goto(f"/boards/{board.pk}/")
    touch = page.context.new_cdp_session(page)

    def finger(kind: str, x: float = 0, y: float = 0) -> None:
        points = [] if kind == "touchEnd" else [{"x": x, "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    x, y = middle(tile(page, three))
    with time_standing_still(page):
        finger("touchStart", x, y)
        finger("touchMove", x, y - 60)
        finger("touchEnd")
    expect(page.locator(".ghost")).to_have_count(0)
    shows(page, stage_of(board), "One", "Two", "Three")
    x, y = middle(tile(page, three))
    to_x, to_y = middle(tile(page, one))
    finger("touchStart", x, y)
    expect(page.locator(".ghost")).to_be_visible()
    for part in range(1, 6):
        finger("touchMove", x + (to_x - x) * part / 5, y + (to_y - 30 - y) * part / 5)
    finger("touchEnd")

    expect(page.locator("#toast")).to_contain_text("“Three” has a new place.")
    assert order_of(stage_of(board)) == ["Three", "One", "Two"]


def test_a_column_is_dragged_by_its_name_and_ends_keep_their_places(opens: Visits, alice: Caller) -> None:
    board = make_board(alice)
    check = add_stage(alice, board=board, name="Check")
    doing = stage_of(board, StageRole.MIDDLE)
    page = opens(alice)
    page.goto(f"/boards/{board.pk}/")
    names = page.locator(".column-head h2")

    with in_the_hand(page, page.locator(f"#column-{check.pk}"), page.locator(f"#column-{doing.pk}"), below=2):
        pass
    expect(page.locator("#said")).to_have_text("“Check” moved.")
    expect(names).to_have_text(["To do", "Check", "Doing", "Done"])
    with in_the_hand(page, page.locator(f"#column-{check.pk}"), page.locator(f"#column-{stage_of(board).pk}")):
        pass
    page.reload()

    expect(names).to_have_text(["To do", "Check", "Doing", "Done"])


def test_a_card_dragged_to_the_edge_scrolls_what_is_under_it(opens: Visits, alice: Caller) -> None:
    board, (one, *_) = a_board(alice)
    for n in range(20):
        make_card(alice, board, title=f"Card {n}")
    for n in range(6):
        add_stage(alice, board=board, name=f"Column {n}")
    page = opens(alice)
    page.goto(f"/boards/{board.pk}/")
    strip, cards = page.locator("#columns"), page.locator(f"#cards-{stage_of(board).pk}")

    page.mouse.move(*middle(tile(page, one)))
    page.mouse.down()
    box = cards.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 40, box["y"] + box["height"] - 4, steps=6)
    page.wait_for_function("(list) => list.scrollTop > 200", arg=cards.element_handle())
    page.mouse.move(1436, 300, steps=6)
    page.wait_for_function("(strip) => strip.scrollLeft > 200", arg=strip.element_handle())
    page.keyboard.press("Escape")
    page.mouse.up()

    expect(page.locator(".ghost")).to_have_count(0)
    expect(cards.locator(".tile-title").first).to_have_text("One")
