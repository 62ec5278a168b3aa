"""Files on a card: added in every way that people know, and looked at without leaving the card."""

from __future__ import annotations

import io
import struct
import wave
import zlib
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from boards.models import Card, CardFile
from tests.browser.judges import barriers, too_wide
from tests.browser.visits import DESKTOP, PHONE, Visits
from tests.factories.boards import make_board, make_card, make_file
from workspaces.caller import Caller

DROP = """([names, folder]) => {
  const carried = new DataTransfer();
  for (const name of names) carried.items.add(new File([`content of ${name}`], name));
  for (const kind of ["dragenter", "dragover", "drop"]) {
    document.querySelector("h1").dispatchEvent(
      new DragEvent(kind, { dataTransfer: carried, bubbles: true, cancelable: true }));
  }
}"""
PASTE = """([into, text]) => {
  const carried = new DataTransfer();
  carried.items.add(new File(["pixels"], "image.png"));
  if (text) carried.items.add(text, "text/plain");
  const pasted = new ClipboardEvent("paste", { clipboardData: carried, bubbles: true, cancelable: true });
  document.querySelector(into).dispatchEvent(pasted);
}"""


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + b"\x20\x60\xa0" * width) * height
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def sound(seconds: int) -> bytes:
    written = io.BytesIO()
    with wave.open(written, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8_000)
        file.writeframes(bytes(128 for _ in range(8_000 * seconds)))
    return written.getvalue()


def chosen(*names: str) -> list[Any]:
    return [{"name": name, "mimeType": "text/plain", "buffer": f"content of {name}".encode()} for name in names]


def names_on(card: Card) -> list[str]:
    return sorted(CardFile.objects.filter(card=card, removed_at__isnull=True).values_list("name", flat=True))


@pytest.fixture
def card(alice: Caller) -> Card:
    return make_card(alice, make_board(alice))


@pytest.fixture
def page(opens: Visits, alice: Caller, card: Card) -> Page:
    page = opens(alice)
    page.goto(f"/cards/{card.pk}/")
    return page


def test_files_are_chosen_dropped_and_pasted(page: Page, card: Card) -> None:
    page.locator("#file").set_input_files(chosen("one.txt", "two.txt", "three.txt"))
    expect(page.locator(".files > li")).to_have_count(3)

    page.evaluate(DROP, [["dropped.txt"], ""])
    expect(page.locator(".files > li")).to_have_count(4)
    page.evaluate(PASTE, ["body", ""])
    expect(page.locator(".files > li")).to_have_count(5)

    expect(page.locator("#upload-lines")).to_be_hidden()
    expect(page.locator("#said")).to_contain_text("was added")
    assert names_on(card) == ["dropped.txt", "image.png", "one.txt", "three.txt", "two.txt"]
    assert barriers(page) == []


def test_text_that_is_pasted_where_one_writes_stays_text(page: Page, card: Card) -> None:
    page.evaluate(PASTE, ["#comment-text", "cells of a table"])
    page.locator("#file").set_input_files(chosen("after.txt"))

    expect(page.locator(".files > li")).to_have_count(1)
    assert names_on(card) == ["after.txt"]


def test_an_upload_whose_answer_was_lost_is_sent_again_and_there_once(opens: Visits, page: Page, card: Card) -> None:
    lost: list[int] = []

    def lose_first(route: Route) -> None:
        if lost:
            return route.continue_()
        lost.append(route.fetch().status)
        return route.abort()

    page.route("**/files/", lose_first)
    page.locator("#file").set_input_files(chosen("a.txt"))
    line = page.locator(".upload-lines > li")
    expect(line).to_contain_text("The connection was lost.")
    assert barriers(page) == []

    page.get_by_role("button", name="Retry: a.txt").click()

    expect(page.locator("#upload-lines")).to_be_hidden()
    expect(page.locator(".files > li")).to_have_count(1)
    assert (lost, names_on(card)) == ([200], ["a.txt"])
    opens.trouble.remove("error of the console: Failed to load resource: net::ERR_FAILED")  # the answer that was lost


def test_an_upload_that_is_canceled_leaves_nothing_and_the_next_goes_on(page: Page, card: Card) -> None:
    held: list[Route] = []
    page.route("**/files/", lambda route: held.append(route) if len(held) < 2 else route.continue_())
    page.locator("#file").set_input_files(chosen("a.txt", "b.txt", "c.txt"))
    expect(page.locator(".upload-lines > .is-sending")).to_have_count(2)

    for name in ("a.txt", "b.txt"):
        page.get_by_role("button", name=f"Cancel: {name}").click()

    expect(page.locator(".files > li")).to_have_count(1)
    expect(page.locator("#upload-lines")).to_be_hidden()
    assert names_on(card) == ["c.txt"]


def test_what_cannot_be_kept_says_why_and_a_taken_name_is_changed(page: Page, alice: Caller, card: Card) -> None:
    make_file(alice, card, name="a.txt")
    empty: Any = {"name": "empty.txt", "mimeType": "text/plain", "buffer": b""}

    page.locator("#file").set_input_files([*chosen("a.txt"), empty])

    lines = page.locator(".upload-lines > li")
    expect(lines.filter(has_text="empty.txt")).to_contain_text("This file holds nothing.")
    expect(lines.filter(has_text="a (2).txt")).to_contain_text("Kept as")
    assert (barriers(page), too_wide(page)) == ([], [])
    for n in (1, 0):
        page.locator(".upload-lines button").first.click()
        expect(lines).to_have_count(n)
    assert names_on(card) == ["a (2).txt", "a.txt"]


def test_an_upload_after_signing_in_again_in_another_tab_goes_through(
    opens: Visits, page: Page, alice: Caller, card: Card
) -> None:
    page.context.clear_cookies()
    page.locator("#file").set_input_files(chosen("a.txt"))
    expect(page.locator(".upload-lines > .is-failed")).to_be_visible()

    opens.sign_in(page.context, alice)
    page.get_by_role("button", name="Retry: a.txt").click()

    expect(page.locator(".files > li")).to_have_count(1)
    assert names_on(card) == ["a.txt"]


def test_files_are_added_looked_at_and_removed_without_scripts(opens: Visits, alice: Caller, card: Card) -> None:
    page = opens(alice, DESKTOP, java_script_enabled=False)
    page.goto(f"/cards/{card.pk}/")

    page.locator("#file").set_input_files(chosen("a.txt", "b.txt"))
    page.get_by_role("button", name="Upload").click()
    page.get_by_role("link", name="a.txt", exact=True).click()
    expect(page.locator(".source")).to_have_text("content of a.txt")
    page.get_by_role("link", name="Back to the card").click()
    page.get_by_role("link", name="Remove a.txt").click()
    page.get_by_role("button", name="Remove file").click()

    expect(page.locator(".files > li")).to_have_count(1)
    assert names_on(card) == ["b.txt"]


@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_files_of_every_kind_are_looked_at_one_after_the_other(
    opens: Visits, alice: Caller, card: Card, screen: Any
) -> None:
    make_file(alice, card, name="shelf.png", content=png(60, 40))
    make_file(alice, card, name="broken.png", content=png(60, 40)[:40])
    make_file(alice, card, name="notes.md", content=b"# Notes\n\n<script>alert(1)</script> and **more**\n")
    make_file(alice, card, name="till.csv", content="Brot;Größe\n=1+1;5\n".encode("cp1252"))
    make_file(alice, card, name="page.html", content=b"<script>alert(1)</script>")
    make_file(alice, card, name="menu.pdf", content=b"%PDF-1.4\n%%EOF")
    make_file(alice, card, name="bell.wav", content=sound(2))
    page = opens(alice, screen)
    page.goto(f"/cards/{card.pk}/")
    dialog = page.get_by_role("dialog")

    page.get_by_role("link", name="shelf.png", exact=True).click()
    expect(dialog.get_by_role("heading", name="shelf.png")).to_be_visible()
    expect(dialog.get_by_role("img", name="shelf.png")).to_have_js_property("naturalWidth", 60)
    assert (barriers(page), too_wide(page)) == ([], [])
    page.keyboard.press("ArrowRight")
    expect(dialog.get_by_text("Your browser cannot show this file.")).to_be_visible()
    for seen in ("more", "Größe", "<script>alert(1)</script>", "A PDF opens in the viewer of your browser"):
        dialog.get_by_role("link", name="Next file").click()
        expect(dialog.get_by_text(seen).first).to_be_visible()
        assert (barriers(page), too_wide(page)) == ([], [])
    dialog.get_by_role("link", name="Next file").click()
    expect(dialog.locator("audio")).to_have_js_property("duration", 2)
    dialog.get_by_role("button", name="Close").click()

    expect(dialog).to_be_hidden()
    expect(page.get_by_role("link", name="shelf.png", exact=True)).to_be_focused()


def test_one_jumps_within_a_long_recording_and_only_that_part_is_sent(opens: Visits, alice: Caller, card: Card) -> None:
    file = make_file(alice, card, name="long.wav", content=sound(400))
    page = opens(alice)
    page.goto(f"/files/{file.pk}/preview/")
    parts: list[int] = []
    page.on("response", lambda answer: parts.append(answer.status) if answer.url.endswith("/content/") else None)
    expect(page.locator("audio")).to_have_js_property("duration", 400)

    jumped = page.locator("audio").evaluate(
        """audio => new Promise((resolve) => {
          audio.addEventListener("seeked", () => resolve(audio.currentTime), { once: true });
          audio.currentTime = 390;
        })"""
    )

    assert jumped == 390
    assert set(parts) <= {206}
