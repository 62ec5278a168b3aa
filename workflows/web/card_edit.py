"""Changing title, brief and owner of a card where they stand."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from bakedbrie.lib.refusals import INVALID_INPUT, NOT_FOUND, REVISION_CONFLICT, Refused
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from boards.access import get_card, get_owner
from boards.inputs import EditCardIn
from boards.models import Card
from boards.services.cards import edit_card
from workflows.selectors.history import last_edit
from workflows.web.card_form import seen_of
from workflows.web.card_page import card_after, show_card
from workspaces.access import require_writer
from workspaces.caller import Caller
from workspaces.models import Actor
from workspaces.web.session import member_page
from workspaces.web.submit import submit

_MOST_DIGITS = 9


@require_POST
@member_page
def edit(request: HttpRequest, caller: Caller, card_id: str) -> HttpResponse:
    """Save what was typed, unless somebody changed the same meanwhile: then both are shown.

    A comment or a file counts as a change of the card too, and nobody who edits has overlooked one by that. So the
    form's revision decides only where title, brief or owner are not those that the form was made from.
    """
    card = get_card(caller, card_id)
    require_writer(caller)
    typed = {name: request.POST.get(name, "").replace("\r\n", "\n") for name in ("title", "brief", "owner")}
    is_as_seen = request.POST.get("seen") == seen_of(card)

    def run(given: EditCardIn) -> Answer:
        edited = edit_card(
            caller,
            card=card,
            expected_revision=card.revision if is_as_seen else given.expected_revision,
            title=given.title,
            brief=given.brief,
            owner=_owner(caller, card, given.owner),
        )
        return {"card_id": str(edited.pk)}

    try:
        given = {"expected_revision": _number(request.POST.get("expected_revision", "")), **typed}
        submit(request, caller, name=f"edit_card {card.pk}", model=EditCardIn, given=given, run=run)
    except Refused as refused:
        return _refused(request, caller, card, Form(values=typed, refused=show_in_place(refused)))
    return card_after(request, caller, card, "Card saved.")


def _refused(request: HttpRequest, caller: Caller, card: Card, form: Form) -> HttpResponse:
    """Show the form again with what was typed; in a conflict also who changed what else meanwhile."""
    more: dict[str, object] = {}
    if form.refused is not None and form.refused.code == REVISION_CONFLICT.code:
        card = get_card(caller, card.pk)
        more = {"other_edit": last_edit(card), "now": _differing(card, form.values)}
    status = refused_status(form.refused) if form.refused else 200
    return show_card(request, caller, card, forms={"edit_form": form}, status=status, more=more)


def _differing(card: Card, typed: Mapping[str, str]) -> list[dict[str, str]]:
    now = {"title": card.title, "brief": card.brief, "owner": str(card.owner_id)}
    shown = {**now, "owner": card.owner.name}
    return [
        {"label": name.capitalize(), "value": shown[name]} for name, value in now.items() if typed.get(name) != value
    ]


def _owner(caller: Caller, card: Card, owner_id: str | None) -> Actor | None:
    """Return the new owner; None for the present one, who may be somebody that nobody could choose any more."""
    if owner_id == str(card.owner_id):
        return None
    try:
        return get_owner(caller, card.board, owner_id)
    except Refused as refused:
        if refused.code != NOT_FOUND.code:
            raise
        raise INVALID_INPUT(fields={"owner": ["cannot own a card of this board"]}) from None


def _number(text: str) -> int | str:
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else text
