"""Moving a card: first see what will happen, then confirm exactly that."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.htmx import changed, is_htmx, partial_or_page
from boards.access import get_card, get_stage
from boards.models import Card, Stage
from boards.selectors.boards import columns_of
from workflows.inputs import MoveCardIn
from workflows.services.moves import move_card, preview_move
from workspaces.access import require_writer
from workspaces.caller import Caller
from workspaces.web.session import member_page
from workspaces.web.submit import submit


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def move(request: HttpRequest, caller: Caller, card_id: str) -> HttpResponse:
    """GET asks where to and shows what would happen there, POST does it."""
    card = get_card(caller, card_id)
    require_writer(caller)
    if request.method == "POST":
        return _move(request, caller, card)
    stage_id = request.GET.get("stage_id")
    return _show(request, caller, card, stage=get_stage(caller, stage_id) if stage_id else None)


def _move(request: HttpRequest, caller: Caller, card: Card) -> HttpResponse:
    """Move the card. If something changed since the preview, show what would happen now and ask again."""
    stage = get_stage(caller, request.POST.get("stage_id"))

    def run(given: MoveCardIn) -> Answer:
        return {"card_id": str(move_card(caller, card=card, stage=stage, preview_hash=given.preview_hash).pk)}

    given = {"card_id": str(card.pk), "stage_id": str(stage.pk), "preview_hash": request.POST.get("preview_hash")}
    try:
        submit(request, caller, name="move_card", model=MoveCardIn, given=given, run=run)
    except Refused as refused:
        return _show(request, caller, get_card(caller, card.pk), stage=stage, refused=show_in_place(refused))
    if is_htmx(request):
        return changed(f"Moved to {stage.name}.")
    return HttpResponseRedirect(reverse("card", args=[card.pk]))


def _show(
    request: HttpRequest, caller: Caller, card: Card, *, stage: Stage | None, refused: Refused | None = None
) -> HttpResponse:
    preview = None
    try:
        if stage is not None:
            preview = preview_move(caller, card=card, stage=stage)
    except Refused as unmovable:
        refused = refused or show_in_place(unmovable)
    context = {
        "card": card,
        "to": stage,
        "stages": [column.stage for column in columns_of(card.board)],
        "preview": preview,
        "refused": refused,
        "form": Form(),
        "is_dialog": is_htmx(request),
    }
    status = refused_status(refused) if refused else 200
    return partial_or_page(request, "workflows/_move.html", "workflows/move_page.html", context, status)
