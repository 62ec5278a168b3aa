"""Reading pages in tests: what a form would send, what a page refuses, and what happens to be on the board."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Protocol

from django.test import Client
from django.urls import reverse


class Answer(Protocol):
    """What the test client and the views give back."""

    @property
    def content(self) -> bytes: ...


HTMX = {"HX-Request": "true"}


def url(name: str, *args: object) -> str:
    return reverse(name, args=[str(arg) for arg in args])


def text_of(response: Answer) -> str:
    return response.content.decode()


def code_of(response: Answer) -> str | None:
    """Return the code of the refusal that the page shows."""
    found = re.search(r'data-code="([A-Z_]+)"', text_of(response))
    return found.group(1) if found else None


def form_of(response: Answer, action: str) -> dict[str, str]:
    """Return the fields of the first form that posts to ``action``, as a browser would send them."""
    reader = _FormReader(action)
    reader.feed(text_of(response))
    assert reader.fields is not None, f"No form posts to {action}."
    return reader.fields


def has_form(response: Answer, action: str) -> bool:
    reader = _FormReader(action)
    reader.feed(text_of(response))
    return reader.fields is not None


def move_form(client: Client, card_id: object, stage_id: object) -> dict[str, str]:
    """Ask for the preview of a move and return the form that confirms it."""
    address = url("move-card", card_id)
    return form_of(client.get(address, {"stage_id": str(stage_id)}), address)


class _FormReader(HTMLParser):
    def __init__(self, action: str) -> None:
        super().__init__()
        self.fields: dict[str, str] | None = None
        self._action = action
        self._is_inside = False
        self._text_of = ""
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form" and given.get("method") == "post" and given.get("action") == self._action:
            self._is_inside, self.fields = self.fields is None, self.fields or {}
        elif self._is_inside and self.fields is not None and tag in {"input", "textarea"} and "name" in given:
            if given.get("type") != "radio" or "checked" in given:
                self.fields[given["name"]] = given.get("value", "")
            self._text_of = given["name"] if tag == "textarea" else ""
        elif self._is_inside and tag == "select":
            self._select = given.get("name", "")
        elif self._is_inside and self.fields is not None and tag == "option" and self._select and "selected" in given:
            self.fields[self._select] = given.get("value", "")

    def handle_data(self, data: str) -> None:
        if self._text_of and self.fields is not None:
            self.fields[self._text_of] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self._text_of and self.fields is not None:
            # As a browser does: the first line break belongs to the tag.
            self.fields[self._text_of] = self.fields[self._text_of].removeprefix("\n")
            self._text_of = ""
        if tag == "form":
            self._is_inside = False
