"""Where one card goes when it is finished, whatever its board says."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.confirm import Question, asked
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.htmx import is_htmx, partial_or_page, say
from boards.access import get_card, is_manager, require_manager
from boards.models import Card
from destinations.access import get_destination
from destinations.selectors.deliveries import planned_for
from destinations.selectors.destinations import default_of, destinations_alone_of, override_of
from destinations.services.confirming import require_confirmed
from destinations.services.destinations import target_of
from destinations.services.uses import clear_override, set_override
from destinations.web.forms import CardIn, OverrideIn
from workspaces.access import require_capability
from workspaces.caller import Caller
from workspaces.roles import Role, is_at_least
from workspaces.web.session import member_page
from workspaces.web.submit import submit


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def destination(request: HttpRequest, caller: Caller, card_id: str) -> HttpResponse:
    """Show where the card goes, and take a place of its own once a manager of its board has agreed to it."""
    require_capability(caller, "destinations")
    card = get_card(caller, card_id)
    if request.method != "POST":
        return _show(request, caller, card, Form())
    require_manager(caller, card.board)
    typed = {name: request.POST.get(name, "") for name in ("destination_id", "confirm")}
    try:
        _submit(request, caller, card, typed)
    except Refused as refused:
        form = Form(values=typed, refused=show_in_place(refused))
        return _show(request, caller, card, form, status=refused_status(refused))
    if not is_htmx(request):
        return HttpResponseRedirect(reverse("card-destination", args=[card.pk]))
    return say(_show(request, caller, card, Form()), "This card goes there from now on.")


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def clear(request: HttpRequest, caller: Caller, card_id: str) -> HttpResponse:
    """GET asks, POST lets the card go where its board says again."""
    require_capability(caller, "destinations")
    card = get_card(caller, card_id)
    require_manager(caller, card.board)
    use = default_of(card.board)
    goes = f"goes to “{use.destination.name}”, as the other cards of the board do" if use else "stays on the board"
    question = Question(
        name="clear-card-destination",
        of=str(card.pk),
        title=f"Take “{card.title}” off its own destination?",
        text=f"Finished, it {goes}. What is on its way is still delivered where it was to go.",
        button="Let it go where the board says" if use else "Deliver it nowhere",
        back=("card-destination", str(card.pk)),
        back_name="Destination",
    )

    def run(_: CardIn) -> Answer:
        clear_override(caller, card=card)
        return {"card_id": str(card.pk)}

    def act() -> None:
        given = {"card_id": str(card.pk)}
        submit(request, caller, name="clear_destination_override", model=CardIn, given=given, run=run)

    return asked(request, question, act, "The card goes where its board says.")


def _submit(request: HttpRequest, caller: Caller, card: Card, typed: Mapping[str, str]) -> None:
    """Set the destination that the form names, once its person has agreed."""

    def run(given: OverrideIn) -> Answer:
        found = get_destination(caller, given.destination_id)
        require_confirmed(given.confirm, config=found.config, card=card)
        set_override(caller, destination=found, card=card)
        return {"card_id": str(card.pk)}

    given = {**typed, "card_id": str(card.pk), "confirm": bool(typed["confirm"])}
    submit(request, caller, name="set_destination_override", model=OverrideIn, given=given, run=run)


def _show(request: HttpRequest, caller: Caller, card: Card, form: Form, *, status: int = 200) -> HttpResponse:
    own, use = override_of(card), default_of(card.board)
    now = own or (use.destination if use else None)
    may_set = is_at_least(caller.role, Role.MEMBER) and is_manager(caller, card.board)
    manages = may_set and card.board.archived_at is None
    found = destinations_alone_of(caller) if manages else []
    context = {
        "card": card,
        "board": card.board,
        "own": own,
        "now": now,
        "target": target_of(now) if now else "",
        "paths": [path for _, path in planned_for(card, now)] if now else [],
        "manages": manages,
        "choices": [(one, target_of(one)) for one in found if own is None or one.pk != own.pk],
        "form": form,
    }
    return partial_or_page(request, "destinations/_card.html", "destinations/card.html", context, status)
