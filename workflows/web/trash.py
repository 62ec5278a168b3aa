"""The trash of a board: into it after a question, and out of it again."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.confirm import Question, asked
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.htmx import is_htmx, partial_or_page, say
from boards.access import get_board, get_card
from boards.inputs import CardIn
from boards.models import Board, Card
from workflows.selectors.trash import trash_page
from workflows.services.cards import restore_card, trash_card
from workflows.web.card_page import card_after, show_card
from workspaces.access import require_writer
from workspaces.caller import Caller
from workspaces.web.session import member_page
from workspaces.web.submit import submit


@require_safe
@member_page
def trash(request: HttpRequest, caller: Caller, board_id: str) -> HttpResponse:
    return _show(request, caller, get_board(caller, board_id))


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def put(request: HttpRequest, caller: Caller, card_id: str) -> HttpResponse:
    """GET asks, POST puts the card into the trash; its page then offers the way back."""
    card = get_card(caller, card_id)
    require_writer(caller)
    question = Question(
        name="trash-card",
        of=str(card.pk),
        title=f"Move “{card.title}” to the trash?",
        text="It leaves its column and keeps everything on it. It can be restored at any time.",
        button="Move to trash",
        back=("card", str(card.pk)),
        back_name=card.title,
    )

    def run(_: CardIn) -> Answer:
        return {"card_id": str(trash_card(caller, card=card).pk)}

    def act() -> None:
        submit(request, caller, name="trash_card", model=CardIn, given={"card_id": str(card.pk)}, run=run)

    return asked(request, question, act, "Moved to the trash. It can be restored.")


@require_POST
@member_page
def restore(request: HttpRequest, caller: Caller, card_id: str) -> HttpResponse:
    """Restore the card, from its own page or from the list of the trash."""
    card = get_card(caller, card_id)
    is_list = request.POST.get("from") == "list"

    def run(_: CardIn) -> Answer:
        return {"card_id": str(restore_card(caller, card=card).pk)}

    try:
        submit(request, caller, name="restore_card", model=CardIn, given={"card_id": str(card.pk)}, run=run)
    except Refused as refused:
        show_in_place(refused)
        if is_list:
            return _show(request, caller, card.board, refused=refused)
        form = Form(refused=refused)
        return show_card(request, caller, card, forms={"trash_form": form}, status=refused_status(refused))
    if not is_list:
        return card_after(request, caller, card, "Card restored.")
    if not is_htmx(request):
        return HttpResponseRedirect(reverse("trash", args=[card.board_id]))
    return say(_show(request, caller, card.board, restored=get_card(caller, card.pk)), "Card restored.")


def _show(
    request: HttpRequest, caller: Caller, board: Board, *, refused: Refused | None = None, restored: Card | None = None
) -> HttpResponse:
    page = trash_page(caller, board)
    context = {
        "board": board,
        "page": page,
        "may_write": page.can_write and board.archived_at is None,
        "refused": refused,
        "restored": restored,
    }
    status = refused_status(refused) if refused else 200
    return partial_or_page(request, "workflows/_trash.html", "workflows/trash_page.html", context, status)
