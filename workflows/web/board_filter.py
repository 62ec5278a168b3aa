"""What the address of a board asks for: which cards, how many of each column, and which one lies open."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.http import HttpRequest
from pydantic import Field

from bakedbrie.lib import ids
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import Id, Input, parse_query
from bakedbrie.lib.web.forms import show_in_place
from bakedbrie.lib.web.htmx import is_htmx, query_of_page
from boards.inputs import State
from boards.selectors.columns import CARDS_SHOWN, EVERY_CARD, CardFilter
from workspaces.caller import Caller

MOST_SHOWN = 1_000
ME = "me"


class BoardQueryIn(Input):
    q: str = Field(default="", max_length=200)
    state: State | None = None
    owner: Id | None = None
    shown: int = Field(default=CARDS_SHOWN, ge=1, le=MOST_SHOWN)
    card: Id | None = None
    after: Id | None = None


@dataclass(frozen=True, kw_only=True)
class BoardQuery:
    """``given`` is the filter, ``asked`` what its form shows again, ``refused`` what is wrong with it."""

    given: CardFilter = EVERY_CARD
    asked: BoardQueryIn = field(default_factory=BoardQueryIn)
    refused: Refused | None = None

    @property
    def kept(self) -> str:
        """Return the filter as the query of an address."""
        pairs = {"q": self.asked.q, "state": self.asked.state, "owner": self.asked.owner}
        return urlencode({name: value for name, value in pairs.items() if value})


def board_query(request: HttpRequest, caller: Caller) -> BoardQuery:
    """Read it from the address, or for a piece of the page from the address of the page."""
    raw = request.GET.dict()
    if is_htmx(request):
        raw = {**query_of_page(request), **raw}
        raw["shown"] = request.POST.get("shown") or raw.get("shown") or ""
    known = {name: value for name, value in raw.items() if value and name in BoardQueryIn.model_fields}
    try:
        asked = parse_query(BoardQueryIn, known)
    except Refused as refused:
        return BoardQuery(refused=show_in_place(refused))
    return BoardQuery(given=_filter(caller, asked), asked=asked)


def _filter(caller: Caller, asked: BoardQueryIn) -> CardFilter:
    owner_id = None
    if asked.owner:
        owner_id = caller.actor.pk if asked.owner == ME else ids.parse_id(asked.owner)
    return CardFilter(text=asked.q, state=asked.state or "", owner_id=owner_id)
