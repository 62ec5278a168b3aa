"""An agent at work on a card: what it writes meanwhile, stopping it, and running it again."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from agents.access import get_turn
from agents.models import Turn
from agents.selectors import lines_after
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from boards.access import get_card
from workflows.inputs import ManageTurnIn
from workflows.services.turns import run_again, stop_turn
from workflows.web.card_page import card_after, show_card
from workspaces.caller import Caller
from workspaces.web.session import member_page
from workspaces.web.submit import submit

_MOST_DIGITS = 9


@require_safe
@member_page
def lines(request: HttpRequest, caller: Caller, turn_id: str) -> HttpResponse:
    """Answer with the lines behind the one that the page has, for the page to put at the end."""
    turn = get_turn(caller, turn_id)
    given = request.GET.get("after", "")
    after = int(given) if given.isdecimal() and len(given) <= _MOST_DIGITS else 0
    fresh = lines_after(turn, after)
    context = {"turn": turn, "lines": fresh, "last": fresh[-1].seq if fresh else after}
    return render(request, "workflows/_turn_lines.html", context)


@require_POST
@member_page
def stop(request: HttpRequest, caller: Caller, turn_id: str) -> HttpResponse:
    turn = get_turn(caller, turn_id)

    def run(_: ManageTurnIn) -> Answer:
        return {"state": stop_turn(caller, turn=turn).state}

    return _manage(request, caller, turn, {"action": "stop"}, run, "The agent is being stopped.")


@require_POST
@member_page
def again(request: HttpRequest, caller: Caller, turn_id: str) -> HttpResponse:
    turn = get_turn(caller, turn_id)

    def run(given: ManageTurnIn) -> Answer:
        return {"turn_id": str(run_again(caller, turn=turn, confirm=bool(given.confirm)).pk)}

    given = {"action": "run_again", "confirm": request.POST.get("confirm") == "true"}
    return _manage(request, caller, turn, given, run, "The agent starts again.")


def _manage(
    request: HttpRequest,
    caller: Caller,
    turn: Turn,
    given: dict[str, object],
    run: Callable[[ManageTurnIn], Answer],
    told: str,
) -> HttpResponse:
    card = get_card(caller, turn.card_id)
    try:
        full = {"turn_id": str(turn.pk), **given}
        submit(request, caller, name="manage_turn", model=ManageTurnIn, given=full, run=run)
    except Refused as refused:
        form = Form(refused=show_in_place(refused))
        return show_card(request, caller, card, forms={"turn_form": form}, status=refused_status(refused))
    return card_after(request, caller, card, told)
