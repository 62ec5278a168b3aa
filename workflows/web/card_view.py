"""How somebody looks at a card: which part of its history, which of its results, and how far back. It stands in the
address, so that it can be sent to somebody, and stays when the page is fetched again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from bakedbrie.lib.web.htmx import is_htmx, query_of_page
from boards.models import Card, Result
from workflows.selectors.history import Part


@dataclass(frozen=True, kw_only=True)
class CardView:
    """Empty is as it is by itself: all of the history, the newest of everything."""

    story: str = ""
    story_from: str = ""
    comments_from: str = ""
    result: str = ""

    @property
    def part(self) -> Part | None:
        return Part(self.story) if self.story in set(Part) else None

    def chosen(self, results: list[Result]) -> Result | None:
        """Return the result that is looked at, else the newest."""
        wanted = [result for result in results if str(result.pk) == self.result]
        return next(iter([*wanted, *results]), None)

    def address(self, card: Card, **other: str) -> str:
        """Return the address of the card looked at like this, but for what is told otherwise."""
        kept = {name: value for name, value in {**asdict(self), **other}.items() if value}
        path = reverse("card", args=[card.pk])
        return f"{path}?{urlencode(kept)}" if kept else path


def view_of(request: HttpRequest) -> CardView:
    """Return how the card is looked at: by the address, or for a form by the address of the page it was sent from."""
    given: Mapping[str, str] = request.GET.dict()
    if request.method == "POST" and is_htmx(request):
        given = query_of_page(request)
    return CardView(**{name: given[name] for name in (field.name for field in fields(CardView)) if name in given})
