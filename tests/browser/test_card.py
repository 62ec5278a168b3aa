"""Work on a card: what people write on it, and what its agent does."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from playwright.sync_api import Page, expect

from tests.browser.judges import barriers, too_wide
from tests.browser.visits import PHONE, Visits
from tests.factories.boards import make_board, make_card
from tests.factories.workflows import Line
from tests.support.fake_provider import OVERLOADED, streams
from tests.support.fake_streams import stream_of
from workspaces.caller import Caller

PATIENCE_S = 60.0
ROWS = b"a,b\n1,2\n"
TEXT = "# Which bread sells out first\n\n" + "".join(f"{n}. The **sourdough** was gone by noon.\n" for n in range(40))


@dataclass
class Model:
    """A model that writes half of its answer, and the rest when it is told to."""

    text: str = TEXT
    _may_finish: threading.Event = field(default_factory=threading.Event)

    def events(self) -> Iterator[bytes]:
        pieces = stream_of("anthropic", self.text)
        half = len(pieces) // 2
        yield from pieces[:half]
        self._may_finish.wait(PATIENCE_S)
        yield from pieces[half:]

    def finish(self) -> None:
        self._may_finish.set()


def move_into_doing(page: Page, line: Line) -> None:
    page.goto(f"/cards/{line.card.pk}/")
    page.get_by_role("link", name="Move…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Doing").check()
    expect(dialog.locator("#consequences")).to_contain_text("Researcher")
    dialog.get_by_role("button", name="Move to Doing").click()
    expect(dialog).to_be_hidden()


def test_a_comment_and_a_file_stand_on_the_card(opens: Visits, alice: Caller) -> None:
    card = make_card(alice, make_board(alice))
    page = opens(alice, PHONE)
    page.goto(f"/cards/{card.pk}/")

    page.get_by_label("Comment", exact=True).fill("Please leave out the **price**.")
    page.get_by_role("button", name="Add comment").click()
    expect(page.locator(".comment strong", has_text="price")).to_be_visible()
    expect(page.get_by_label("Comment", exact=True)).to_have_value("")
    page.get_by_label("Add files").set_input_files({"name": "till.csv", "mimeType": "text/csv", "buffer": ROWS})
    expect(page.get_by_role("link", name="till.csv", exact=True)).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download till.csv").click()

    assert download.value.path().read_bytes() == ROWS
    assert (barriers(page), too_wide(page)) == ([], [])


def test_an_agent_writes_before_ones_eyes_and_its_result_stays(opens: Visits, alice: Caller, line: Line) -> None:
    model = Model()
    line.provider.script(streams("anthropic", events=model.events()))
    page, phone = opens(alice), opens(alice, PHONE)
    phone.goto(f"/cards/{line.card.pk}/")
    move_into_doing(page, line)

    for watching in (page, phone):
        expect(watching.locator(".written")).to_contain_text("Which bread sells out first")
        assert (barriers(watching), too_wide(watching)) == ([], [])
    page.get_by_label("Comment", exact=True).fill("half a thought")
    model.finish()
    for watching in (page, phone):
        expect(watching.get_by_role("region", name="Result")).to_contain_text("The sourdough was gone by noon.")
        assert (barriers(watching), too_wide(watching)) == ([], [])

    expect(page.get_by_label("Comment", exact=True)).to_have_value("half a thought")
    expect(page.locator(".turn-head .badge").first).to_have_text("Done")
    assert len(line.provider.calls) >= 1


def test_a_turn_that_failed_runs_again_when_one_asks_for_it(opens: Visits, alice: Caller, line: Line) -> None:
    line.provider.script(OVERLOADED)
    page = opens(alice)
    move_into_doing(page, line)

    again = page.get_by_role("button", name="Run again")
    expect(again).to_be_visible()
    assert barriers(page) == []
    again.click()

    expect(page.get_by_role("region", name="Result")).to_contain_text("Finished work.")


def test_a_turn_is_stopped_while_it_writes(opens: Visits, alice: Caller, line: Line) -> None:
    model = Model()
    line.provider.script(streams("anthropic", events=model.events()))
    page = opens(alice)
    move_into_doing(page, line)
    expect(page.locator(".written")).to_contain_text("Which bread")

    page.get_by_role("button", name="Stop").click()

    expect(page.locator(".turn-head .badge").first).to_have_text("Stopped")
    model.finish()
