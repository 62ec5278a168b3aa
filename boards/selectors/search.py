"""Searching cards by words of their titles and briefs, over every board that one may open."""

from __future__ import annotations

from django.db.models import Q

from bakedbrie.lib.paging import Page, page
from boards.access import cards_of
from boards.inputs import SearchCardsIn
from boards.models import Card
from workspaces.caller import Caller

MOST_WORDS = 8
_BEFORE, _AFTER = 60, 120


def words_of(query: str) -> list[str]:
    """Return the words to look for, each once. Of a long query the first ones count."""
    return list(dict.fromkeys(query.split()))[:MOST_WORDS]


def search_cards(caller: Caller, given: SearchCardsIn) -> Page[Card]:
    """Return the newest cards first that hold every word of the query, in title or brief: one query.

    Boards in the archive and cards in the trash are left out.
    """
    words = words_of(given.q)
    if not words:
        return Page(items=[], next_cursor=None)
    cards = cards_of(caller).filter(trashed_at__isnull=True, board__archived_at__isnull=True)
    for word in words:
        cards = cards.filter(Q(title__icontains=word) | Q(brief__icontains=word))
    cards = cards.select_related("board", "stage", "owner")
    return page(cards, cursor=given.cursor, limit=given.limit, order=("-id",))


def excerpt(card: Card, words: list[str]) -> tuple[str, str, str]:
    """Return what stands in the brief around the first word that does: before it, itself, and after it."""
    text = " ".join(card.brief.split())
    lowered = text.lower()
    if len(lowered) != len(text):  # some letters have no small form of one letter: places would not fit
        lowered = text
    places = [(at, word) for word in words if (at := lowered.find(word.lower())) >= 0]
    if not places:
        return text[: _BEFORE + _AFTER] + ("…" if len(text) > _BEFORE + _AFTER else ""), "", ""
    at, word = min(places)
    end = at + len(word)
    before, after = text[max(0, at - _BEFORE) : at], text[end : end + _AFTER]
    return ("…" if at > _BEFORE else "") + before, text[at:end], after + ("…" if end + _AFTER < len(text) else "")
