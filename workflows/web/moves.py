"""Moving a card: first see what will happen, then confirm exactly that. What starts nothing needs no second step."""

from __future__ import annotations

from typing import Literal, Self

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST
from pydantic import model_validator

from bakedbrie.lib import ids
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import Id, Input, parse
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.htmx import changed, is_htmx, partial_or_page
from boards.access import cards_of, get_card, get_stage
from boards.models import Card, Stage
from boards.selectors.boards import columns_of
from boards.services.placing import reorder_card
from workflows.inputs import MoveCardIn
from workflows.services.moves import move_card, preview_move
from workspaces.access import require_writer
from workspaces.caller import Caller
from workspaces.web.session import member_page
from workspaces.web.submit import submit

_PLACES = ("before_card_id", "after_card_id", "end")


class DropCardIn(Input):
    """Where a card was let go: beside one neighbour, at an end of the column, or anywhere in it."""

    card_id: Id
    stage_id: Id
    before_card_id: Id | None = None
    after_card_id: Id | None = None
    end: Literal["top", "bottom"] | None = None

    @model_validator(mode="after")
    def _names_one_place(self) -> Self:
        if sum(place is not None for place in (self.before_card_id, self.after_card_id, self.end)) > 1:
            raise ValueError("before_card_id: name one neighbour or one end")
        return self


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


@require_POST
@member_page
def drop(request: HttpRequest, caller: Caller, card_id: str) -> HttpResponse:
    """Put the card where it was let go. Where that would start something, ask first instead."""
    card = get_card(caller, card_id)
    require_writer(caller)
    stage = get_stage(caller, request.POST.get("stage_id"))
    try:
        if stage.pk == card.stage_id:
            _submit_drop(request, caller, card, stage)
            return _after(request, card, "Moved within its column.")
        preview = preview_move(caller, card=card, stage=stage)
        if preview.starts_something:
            return _show(request, caller, card, stage=stage)
        _submit_drop(request, caller, card, stage, preview.preview_hash)
    except Refused as refused:
        return _tell(request, caller, card, show_in_place(refused))
    return _after(request, card, f"Moved to {stage.name}.")


def _submit_drop(
    request: HttpRequest, caller: Caller, card: Card, stage: Stage, preview_hash: str | None = None
) -> None:
    def run(given: DropCardIn) -> Answer:
        place = _place(caller, stage, given)
        if preview_hash is not None:
            move_card(caller, card=card, stage=stage, preview_hash=preview_hash, **place)
        elif place:
            reorder_card(caller, card=card, **place)
        return {"card_id": str(card.pk)}

    submit(request, caller, name="drop_card", model=DropCardIn, given=_sent(request, card, stage), run=run)


def _move(request: HttpRequest, caller: Caller, card: Card) -> HttpResponse:
    """Move the card. If something changed since the preview, show what would happen now and ask again."""
    stage = get_stage(caller, request.POST.get("stage_id"))

    def run(given: MoveCardIn) -> Answer:
        place = _place(caller, stage, parse(DropCardIn, _sent(request, card, stage)))
        move_card(caller, card=card, stage=stage, preview_hash=given.preview_hash, **place)
        return {"card_id": str(card.pk)}

    given = {"card_id": str(card.pk), "stage_id": str(stage.pk), "preview_hash": request.POST.get("preview_hash")}
    try:
        submit(request, caller, name="move_card", model=MoveCardIn, given=given, run=run)
    except Refused as refused:
        return _show(request, caller, get_card(caller, card.pk), stage=stage, refused=show_in_place(refused))
    return _after(request, card, f"Moved to {stage.name}.")


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
        "is_drop": "drop" in request.POST,
        "place": {name: request.POST[name] for name in _PLACES if request.POST.get(name)},
        "stages": [column.stage for column in columns_of(card.board)],
        "preview": preview,
        "refused": refused,
        "form": Form(),
        "is_dialog": is_htmx(request),
    }
    status = refused_status(refused) if refused else 200
    return partial_or_page(request, "workflows/_move.html", "workflows/move_page.html", context, status)


def _sent(request: HttpRequest, card: Card, stage: Stage) -> dict[str, str]:
    place = {name: request.POST[name] for name in _PLACES if request.POST.get(name)}
    return {"card_id": str(card.pk), "stage_id": str(stage.pk), **place}


def _place(caller: Caller, stage: Stage, given: DropCardIn) -> dict[str, Card]:
    """Return the neighbour as what services take. One that has left the column since counts for nothing: the card goes
    to the end."""
    cards = cards_of(caller).filter(place__stage=stage).exclude(pk=given.card_id)
    if given.end is not None:
        last = cards.order_by("place__position" if given.end == "top" else "-place__position").first()
        return {} if last is None else {"before" if given.end == "top" else "after": last}
    side, neighbour_id = ("before", given.before_card_id) if given.before_card_id else ("after", given.after_card_id)
    neighbour = cards.filter(pk=ids.parse_id(neighbour_id)).first() if neighbour_id else None
    return {side: neighbour} if neighbour else {}


def _after(request: HttpRequest, card: Card, told: str) -> HttpResponse:
    return changed(told) if is_htmx(request) else HttpResponseRedirect(reverse("card", args=[card.pk]))


def _tell(request: HttpRequest, caller: Caller, card: Card, refused: Refused) -> HttpResponse:
    """Show a refused drop beside the board, which puts the card back; without scripts, on the page of the move."""
    if not is_htmx(request):
        return _show(request, caller, card, stage=None, refused=refused)
    response = render(request, "components/_refusal.html", {"refused": refused}, status=refused_status(refused))
    response["HX-Retarget"], response["HX-Reswap"] = "#notices", "innerHTML"
    return response
