"""The card: everything on it, and commenting on it."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.htmx import is_htmx, partial_or_page, say
from boards.access import get_card
from boards.inputs import AddCommentIn
from boards.models import Card
from boards.services.comments import add_comment as add_comment_to
from workflows.selectors.cards import card_page
from workflows.selectors.trash import way_back
from workflows.web.card_sections import Shown, context_of
from workflows.web.card_view import view_of
from workspaces.caller import Caller
from workspaces.web.session import member_page
from workspaces.web.submit import submit


@require_safe
@member_page
def card(request: HttpRequest, caller: Caller, card_id: str) -> HttpResponse:
    return show_card(request, caller, get_card(caller, card_id))


@require_POST
@member_page
def add_comment(request: HttpRequest, caller: Caller, card_id: str) -> HttpResponse:
    card = get_card(caller, card_id)
    text = request.POST.get("text", "").replace("\r\n", "\n")

    def run(given: AddCommentIn) -> Answer:
        return {"comment_id": str(add_comment_to(caller, card=card, text=given.text).pk)}

    try:
        given = {"card_id": str(card.pk), "text": text}
        submit(request, caller, name="add_comment", model=AddCommentIn, given=given, run=run)
    except Refused as refused:
        form = Form(values={"text": text}, refused=show_in_place(refused))
        return show_card(request, caller, card, forms={"comment_form": form}, status=refused_status(refused))
    return card_after(request, caller, card, "Comment added.")


def card_after(request: HttpRequest, caller: Caller, card: Card, told: str) -> HttpResponse:
    """Answer a form that worked: the card anew for HTMX, the way back to its page otherwise."""
    if not is_htmx(request):
        return HttpResponseRedirect(reverse("card", args=[card.pk]))
    return say(show_card(request, caller, get_card(caller, card.pk)), told)


def show_card(
    request: HttpRequest,
    caller: Caller,
    card: Card,
    *,
    forms: dict[str, Form] | None = None,
    status: int = 200,
    more: Mapping[str, object] | None = None,
) -> HttpResponse:
    """Render the card; ``forms`` are those that were just refused, by their name in the template, and ``more`` is what
    they show beside."""
    view = view_of(request)
    page = card_page(caller, card, history_cursor=view.story_from or None, history_part=view.part)
    may_change = page.can_write and card.board.archived_at is None
    shown = Shown(
        request=request,
        caller=caller,
        card=card,
        page=page,
        view=view,
        may_write=may_change and card.stage_id is not None,
    )
    context = {
        "card": card,
        "board": card.board,
        "page": page,
        "may_write": shown.may_write,
        "may_restore": may_change and card.stage_id is None,
        "way_back": way_back(card),
        "address": view.address(card),
        "trash_form": Form(),
        **context_of(shown),
        "refused": next((form.refused for form in (forms or {}).values()), None),
        **(forms or {}),
        **(more or {}),
    }
    return partial_or_page(request, "workflows/_card.html", "workflows/card_page.html", context, status)
