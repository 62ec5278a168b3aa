"""Asking before something is done that somebody may regret: in the dialog, or on a page of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.htmx import changed, is_htmx, partial_or_page


@dataclass(frozen=True, kw_only=True)
class Question:
    """``name`` and ``of`` are the address that the answer is sent to, ``back`` the one to go to afterwards; an address
    without an id has an empty one. ``points`` are what will happen, where one sentence is not enough. Without a
    ``button`` it cannot be done; ``is_safe`` where it takes nothing away."""

    name: str
    of: str = ""
    title: str
    text: str
    points: tuple[str, ...] = ()
    button: str
    back: tuple[str, str]
    back_name: str
    is_safe: bool = False

    @property
    def action(self) -> str:
        return _address(self.name, self.of)

    @property
    def back_url(self) -> str:
        return _address(*self.back)


def ask(request: HttpRequest, question: Question, *, refused: Refused | None = None) -> HttpResponse:
    context = {"question": question}
    return dialog(request, "components/_confirm.html", "components/confirm_page.html", context, refused)


def dialog(
    request: HttpRequest, partial: str, page: str, context: Mapping[str, Any], refused: Refused | None = None
) -> HttpResponse:
    """Show a form that is asked first: in the dialog, or on its page; again with what was refused."""
    shared = {"form": Form(), "refused": refused, "is_dialog": is_htmx(request)}
    status = refused_status(refused) if refused else 200
    return partial_or_page(request, partial, page, {**shared, **context}, status)


def asked(request: HttpRequest, question: Question, act: Callable[[], object], told: str) -> HttpResponse:
    """GET asks, POST acts and goes back; what the act refuses is shown where it was asked."""

    def show(refused: Refused | None) -> HttpResponse:
        return ask(request, question, refused=refused)

    return answered(request, show, act, lambda: done(request, question, told))


def answered(
    request: HttpRequest,
    show: Callable[[Refused | None], HttpResponse],
    act: Callable[[], object],
    after: Callable[[], HttpResponse],
) -> HttpResponse:
    """Do as `asked` with a form that is shown in another way, or that leads on elsewhere."""
    if request.method != "POST":
        return show(None)
    try:
        act()
    except Refused as refused:
        return show(show_in_place(refused))
    return after()


def done(request: HttpRequest, question: Question, told: str) -> HttpResponse:
    return close(request, told, question.back_url)


def close(request: HttpRequest, told: str, back_url: str) -> HttpResponse:
    """Close the dialog and have the page under it fetched again; without scripts, go back to it."""
    return changed(told) if is_htmx(request) else HttpResponseRedirect(back_url)


def _address(name: str, of: str) -> str:
    return reverse(name, args=[of] if of else [])
