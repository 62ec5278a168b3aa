"""Clicking through pages: which addresses a page names, wherever it does."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import urldefrag, urljoin

import httpx2

_FOLLOWED = ("href", "src", "hx-get", "data-url")
_SENT_TO = ("action", "formaction", "hx-post", "hx-put", "hx-patch", "hx-delete", "data-root")


class _Addresses(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.page = page
        self.named: set[str] = set()
        self.to_follow: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name in (*_FOLLOWED, *_SENT_TO):
                address = urldefrag(urljoin(self.page, value)).url
                self.named.add(address)
                if name in _FOLLOWED:
                    self.to_follow.add(address)


class Clicker:
    """Opens what pages name, one after the other, and keeps every address that it saw."""

    def __init__(self, browser: httpx2.Client, origin: str) -> None:
        self.browser = browser
        self.origin = origin
        self.named: set[str] = set()
        self.broken: list[str] = []
        self.opened: set[str] = set()

    def click_through(self, start: str, *, at_most: int = 200) -> None:
        waiting = [start]
        while waiting and len(self.opened) < at_most:
            address = waiting.pop(0)
            if address not in self.opened:
                waiting += sorted(self._open(address))

    def own(self) -> list[str]:
        """Return the named addresses of this host, without it."""
        own = [address for address in self.named if address.startswith(self.origin)]
        return sorted(address.removeprefix(self.origin) for address in own)

    def _open(self, address: str) -> Iterator[str]:
        self.opened.add(address)
        answer = self.browser.get(address, follow_redirects=True)
        if answer.status_code != 200:
            self.broken.append(f"{answer.status_code} {address}")
        self.named.update(str(step.url) for step in (*answer.history, answer))
        if answer.headers.get("content-type", "").startswith("text/html"):
            reader = _Addresses(str(answer.url))
            reader.feed(answer.text)
            self.named |= reader.named
            yield from (found for found in reader.to_follow if found.startswith(f"{self.origin}/"))
