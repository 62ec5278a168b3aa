"""Deliveries on the card page: beginning one again that failed or is unclear."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from boards.access import get_card
from destinations.access import get_delivery
from destinations.inputs import RedeliverIn
from workflows.services.redelivering import deliver_again
from workflows.web.card_page import card_after, show_card
from workflows.web.reviews import SHOWN_IN_PLACE
from workspaces.access import require_capability
from workspaces.caller import Caller
from workspaces.web.session import member_page
from workspaces.web.submit import submit


@require_POST
@member_page
def again(request: HttpRequest, caller: Caller, delivery_id: str) -> HttpResponse:
    require_capability(caller, "destinations")
    delivery = get_delivery(caller, delivery_id)
    card = get_card(caller, delivery.card_id)

    given = {"delivery_id": str(delivery.pk), "preview_hash": request.POST.get("preview_hash", "")}

    def run(given: RedeliverIn) -> Answer:
        return {"state": deliver_again(caller, delivery=delivery, preview_hash=given.preview_hash).state}

    try:
        submit(request, caller, name="redeliver", model=RedeliverIn, given=given, run=run)
    except Refused as refused:
        form = Form(refused=refused if refused.code in SHOWN_IN_PLACE else show_in_place(refused))
        return show_card(request, caller, card, forms={"delivery_form": form}, status=refused_status(refused))
    return card_after(request, caller, card, "It is delivered again. What arrived already is not sent again.")
