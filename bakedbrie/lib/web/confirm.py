"""Asking before something is done that somebody may regret: in the dialog, or on a page of its own."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.web.forms import Form, refused_status
from bakedbrie.lib.web.htmx import changed, is_htmx, partial_or_page


@dataclass(frozen=True, kw_only=True)
class Question:
    """``name`` and ``of`` are the address that the answer is sent to, ``back`` the one to go to afterwards; an address
    without an id has an empty one. ``points`` are what will happen, where one sentence is not enough. Without a
    ``button`` it cannot be done."""

    name: str
    of: str = ""
    title: str
    text: str
    points: tuple[str, ...] = ()
    button: str
    back: tuple[str, str]
    back_name: str

    @property
    def action(self) -> str:
        return _address(self.name, self.of)

    @property
    def back_url(self) -> str:
        return _address(*self.back)


def ask(request: HttpRequest, question: Question, *, refused: Refused | None = None) -> HttpResponse:
    context = {"question": question, "form": Form(), "refused": refused, "is_dialog": is_htmx(request)}
    status = refused_status(refused) if refused else 200
    return partial_or_page(request, "components/_confirm.html", "components/confirm_page.html", context, status)


def done(request: HttpRequest, question: Question, told: str) -> HttpResponse:
    """Close the dialog and have the page under it fetched again; without scripts, go back to it."""
    return changed(told) if is_htmx(request) else HttpResponseRedirect(question.back_url)


def _address(name: str, of: str) -> str:
    return reverse(name, args=[of] if of else [])
