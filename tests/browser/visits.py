"""Browsers of people: each signed in as somebody, on a screen of some size, with an ear for what goes wrong."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Response

from tests.browser.site import Site
from tests.support.cast import browser as signed_in
from workspaces.caller import Caller


@dataclass(frozen=True, kw_only=True)
class Screen:
    width: int
    height: int
    is_phone: bool = False


DESKTOP = Screen(width=1440, height=900)
TABLET = Screen(width=768, height=1024)
PHONE = Screen(width=390, height=844, is_phone=True)
SMALL_PHONE = Screen(width=360, height=740, is_phone=True)
PATIENCE_MS = 60_000  # for what others, or a loaded machine, are slow with; never for what a test expects to be absent
# A refusal is an answer of the site; Chromium notes each of them as an error of the console.
_REFUSAL = "Failed to load resource: the server responded with a status of 4"
_PARTS = {"stylesheet", "script", "font", "image"}


@dataclass(kw_only=True)
class Visits:
    """Opens browsers, and remembers what their consoles said."""

    site: Site
    browser: Browser
    pictures: Path
    trouble: list[str] = field(default_factory=list)
    _contexts: list[BrowserContext] = field(default_factory=list)

    def __call__(self, who: Caller | None, screen: Screen = DESKTOP, **more: Any) -> Page:
        """Open a browser of its own, with an empty cache, in which ``who`` is signed in."""
        context = self.browser.new_context(
            base_url=self.site.address,
            viewport={"width": screen.width, "height": screen.height},
            is_mobile=screen.is_phone,
            has_touch=screen.is_phone,
            **more,
        )
        context.set_default_timeout(PATIENCE_MS)
        self._contexts.append(context)
        if who is not None:
            self.sign_in(context, who)
        return self.another_tab(context)

    def sign_in(self, context: BrowserContext, who: Caller) -> None:
        name = settings.SESSION_COOKIE_NAME
        value = signed_in(who).cookies[name].value
        context.add_cookies([{"name": name, "value": value, "url": self.site.address}])

    def sign_out(self, page: Page) -> None:
        """Leave as people do, by the menu under one's name."""
        page.locator("#person-menu > summary").click()
        page.get_by_role("button", name="Sign out").click()

    def first_load(self, who: Caller | None, address: str) -> tuple[list[str], int]:
        """Return what the page asked for beyond its HTML, but for images and live hints, and the bytes of all of it."""
        page, answers = self(who), list[Response]()
        page.on("response", lambda answer: answers.append(answer))
        page.goto(address, wait_until="load")
        counted = [each for each in answers if each.request.resource_type not in {"image", "eventsource"}]
        size = sum(each.request.sizes()["responseBodySize"] for each in counted)
        page.context.close()
        return [each.url for each in counted if each.request.resource_type != "document"], size

    def another_tab(self, context: BrowserContext) -> Page:
        page = context.new_page()
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.trouble.append(f"error of a script: {error}"))
        page.on("response", self._look_at)
        return page

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"} and not message.text.startswith(_REFUSAL):
            self.trouble.append(f"{message.type} of the console: {message.text}")

    def _look_at(self, response: Response) -> None:
        is_missing_part = response.status >= 400 and response.request.resource_type in _PARTS
        if is_missing_part or response.status >= 500:
            self.trouble.append(f"{response.status} {response.url}")

    def picture(self, page: Page, name: str) -> None:
        """Keep a screenshot of the page, under its address; of an id, its end is enough."""
        place = re.sub(r"[0-9a-f-]{32}(?=[0-9a-f]{4})", "", urlsplit(page.url).path)
        page.screenshot(path=self.pictures / f"{_plain(place) or 'home'}-{name}.png", full_page=True)

    def end(self, name: str) -> None:
        """Keep a picture of what each page showed last, and close them."""
        pages = [page for context in self._contexts for page in context.pages]
        for number, page in enumerate(pages, start=1):
            page.screenshot(path=self.pictures / f"{_plain(name)}-{number}.png")
        for context in self._contexts:
            context.close()


@contextmanager
def time_standing_still(page: Page) -> Iterator[None]:
    """Let no timer of the page ring meanwhile, however long it takes. Its clock was installed before it was loaded."""
    page.clock.pause_at(time.time() + 1)
    yield
    page.clock.resume()


def _plain(name: str) -> str:
    return re.sub(r"\W+", "-", name).strip("-")
