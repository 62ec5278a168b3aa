"""A card without leaving its board: brief, state, last result and files in a panel."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from bakedbrie.lib.refusals import NOT_FOUND, Refused
from bakedbrie.lib.web.htmx import is_htmx
from boards.access import get_card
from boards.models import Board
from workflows.selectors.boards import can_write
from workflows.selectors.peek import peek_at
from workspaces.caller import Caller
from workspaces.web.session import member_page


@require_safe
@member_page
def peek(request: HttpRequest, caller: Caller, card_id: str) -> HttpResponse:
    """Answer with what the panel holds; a browser on its own is led to the board with the panel open."""
    card = get_card(caller, card_id)
    if not is_htmx(request):
        return HttpResponseRedirect(f"{reverse('board', args=[card.board_id])}?card={card.pk}")
    return render(request, "workflows/_peek.html", peek_context(caller, card.pk))


def peek_on(caller: Caller, card_id: object, board: Board) -> dict[str, object] | None:
    """Read a card of this board for its panel; None where an old address names one that is not there any more."""
    try:
        context = peek_context(caller, card_id)
    except Refused as refused:
        if refused.code != NOT_FOUND.code:
            raise
        return None
    return context if context["board"] == board else None


def peek_context(caller: Caller, card_id: object) -> dict[str, object]:
    """Read a card for the panel."""
    card = get_card(caller, card_id)
    may_write = can_write(caller) and card.board.archived_at is None and card.stage_id is not None
    return {"card": card, "board": card.board, "seen": peek_at(caller, card), "may_write": may_write}
