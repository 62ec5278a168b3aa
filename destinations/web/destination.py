"""One destination: where it is, whether it works, what goes there, and its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.sealing import Secret
from bakedbrie.lib.toolkit.inputs import parse
from bakedbrie.lib.toolkit.tool import Answer, Effect
from bakedbrie.lib.web.confirm import Question, asked
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.htmx import is_htmx, partial_or_page, say
from boards.access import get_board, managed_boards_of, require_manager
from destinations.access import get_destination, may_connect, may_keep, require_connector, require_keeper
from destinations.calls.connecting import check_destination, update_destination
from destinations.models import Destination
from destinations.receipts import message_of
from destinations.selectors.destinations import deliveries_waiting_for, destinations_of
from destinations.services.confirming import require_confirmed
from destinations.services.destinations import Changes, target_of, turn_off
from destinations.services.typed_keys import drop_typed_key
from destinations.services.uses import set_default
from destinations.states import DestinationState
from destinations.web.destinations import example_of, row_of
from destinations.web.forms import (
    SECRET,
    DefaultIn,
    DestinationIn,
    EditDestinationIn,
    given_from,
    number,
    typed_in,
    values_of,
)
from workspaces.access import require_capability
from workspaces.caller import Caller
from workspaces.services.replay import replay
from workspaces.web.session import member_page
from workspaces.web.submit import submit

_MOST_NAMED = 20


@require_safe
@member_page
def destination(request: HttpRequest, caller: Caller, destination_id: str) -> HttpResponse:
    require_capability(caller, "destinations")
    return _show(request, caller, get_destination(caller, destination_id))


@require_POST
@member_page
def check(request: HttpRequest, caller: Caller, destination_id: str) -> HttpResponse:
    """Ask the service once whether it still takes the key."""
    require_capability(caller, "destinations")
    found = get_destination(caller, destination_id)
    require_connector(caller)

    def run() -> Answer:
        return {"code": check_destination(caller, destination=found).last_error}

    try:
        call = {"form": "check_destination", "destination_id": str(found.pk)}
        answer = _replay(request, caller, call, run)
    except Refused as refused:
        return _refused(request, caller, found, "check_form", refused, {})
    told = f"It does not work. {message_of(answer['code'])}" if answer["code"] else "The key works."
    return _after(request, caller, found, told)


@sensitive_post_parameters(SECRET)
@require_POST
@member_page
def edit(request: HttpRequest, caller: Caller, destination_id: str) -> HttpResponse:
    """Change name, place, key and template; another place or key is tried first."""
    require_capability(caller, "destinations")
    found = get_destination(caller, destination_id)
    require_keeper(caller, found)
    typed = typed_in(request, "confirm")
    try:
        _edit(request, caller, found, typed)
    except Refused as refused:
        return _refused(request, caller, found, "edit_form", refused, typed)
    return _after(request, caller, found, "Saved.")


@require_POST
@member_page
def default(request: HttpRequest, caller: Caller, destination_id: str) -> HttpResponse:
    """Let the finished cards of a board go there."""
    require_capability(caller, "destinations")
    found = get_destination(caller, destination_id)
    typed = {name: request.POST.get(name, "") for name in ("board_id", "confirm")}
    try:
        board = submit_default(request, caller, {**typed, "destination_id": str(found.pk)})
    except Refused as refused:
        return _refused(request, caller, found, "default_form", refused, typed)
    return _after(request, caller, found, f"What is finished on {board} goes there from now on.")


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def off(request: HttpRequest, caller: Caller, destination_id: str) -> HttpResponse:
    """GET asks and names what it clears, POST turns it off for good."""
    require_capability(caller, "destinations")
    found = get_destination(caller, destination_id)
    require_keeper(caller, found)
    question = Question(
        name="turn-off-destination",
        of=str(found.pk),
        title=f"Turn off “{found.name}” for good?",
        text="Its key is destroyed here, and this cannot be undone. What was delivered stays in the bucket. At the "
        "service the key lives on until it is deleted there.",
        points=_what_it_clears(caller, found),
        button="Turn off for good",
        back=("destinations", ""),
        back_name="Destinations",
    )

    def run(_: DestinationIn) -> Answer:
        turn_off(caller, destination=found)
        return {"destination_id": str(found.pk)}

    def act() -> None:
        given = {"destination_id": str(found.pk)}
        submit(request, caller, name="turn_off_destination", model=DestinationIn, given=given, run=run)

    return asked(request, question, act, "The destination is off.")


def submit_default(request: HttpRequest, caller: Caller, typed: Mapping[str, str]) -> str:
    """Set the default that a form names, once its person has agreed; return the name of the board."""

    def run(given: DefaultIn) -> Answer:
        board = get_board(caller, given.board_id)
        found = get_destination(caller, given.destination_id)
        require_manager(caller, board)
        require_confirmed(given.confirm, config=found.config, board=board)
        set_default(caller, destination=found, board=board)
        return {"board": board.name}

    given = {**typed, "confirm": bool(typed["confirm"])}
    answer = submit(request, caller, name="set_default_destination", model=DefaultIn, given=given, run=run)
    return str(answer["board"])


def _edit(request: HttpRequest, caller: Caller, found: Destination, typed: dict[str, str]) -> None:
    secret = Secret(request.POST.get(SECRET, "").strip())
    more = {
        "expected_revision": number(request.POST.get("expected_revision", "")),
        "path_style": bool(found.config["path_style"]),
    }
    given = parse(EditDestinationIn, {**given_from(typed), **more})
    config = given.bucket_config
    is_elsewhere = target_of(found) != f"{config.endpoint}/{config.bucket}/{config.prefix}"
    is_placed_anew = is_elsewhere or found.path_template != given.path_template
    if is_placed_anew and given.expected_revision == found.revision:
        what = "What goes there now goes to the new place instead."
        require_confirmed(given.confirm, config=given.model_dump(), what=what)
    is_same = {**found.config} == given.model_dump(include=set(found.config))
    changes = Changes(name=given.name, config=None if is_same else config, path_template=given.path_template)

    def run() -> Answer:
        update_destination(
            caller,
            destination=found,
            changes=changes,
            drop_id=drop_typed_key(caller, kind=found.kind, key=secret) if secret.reveal() else None,
            expected_revision=given.expected_revision,
        )
        return {"destination_id": str(found.pk)}

    _replay(request, caller, {"form": f"edit_destination {found.pk}", **given.model_dump(mode="json")}, run)


def _replay(request: HttpRequest, caller: Caller, call: Mapping[str, object], run: Callable[[], Answer]) -> Answer:
    return replay(caller, request_id=request.POST.get("request_id", ""), call=call, effect=Effect.SEND, run=run)


def _what_it_clears(caller: Caller, found: Destination) -> tuple[str, ...]:
    shown = destinations_of(caller).get(pk=found.pk)
    boards, cards = list(shown.board_rows.all()), list(shown.card_rows.all())
    points = [f"What is finished on the board {use.board.name} goes nowhere any more." for use in boards[:_MOST_NAMED]]
    points += [f"The card “{use.card.title}” no longer goes there." for use in cards[:_MOST_NAMED]]
    rest = found.board_rows.count() + found.card_rows.count() - len(points)
    if rest:
        points.append(f"So it is with {rest} more boards and cards, also those that you cannot open.")
    waiting = deliveries_waiting_for(found)
    if waiting:
        points.append(f"{waiting} {'delivery that waits ends' if waiting == 1 else 'deliveries that wait end'} unsent.")
    return tuple(points) or ("Nothing goes there now, so nothing else changes.",)


def _refused(
    request: HttpRequest, caller: Caller, found: Destination, name: str, refused: Refused, typed: dict[str, str]
) -> HttpResponse:
    form = Form(values=typed, refused=show_in_place(refused))
    return _show(request, caller, found, used=(name, form), status=refused_status(refused))


def _after(request: HttpRequest, caller: Caller, found: Destination, told: str) -> HttpResponse:
    if not is_htmx(request):
        return HttpResponseRedirect(reverse("destination", args=[found.pk]))
    return say(_show(request, caller, found), told)


def _show(
    request: HttpRequest,
    caller: Caller,
    found: Destination,
    *,
    used: tuple[str, Form] | None = None,
    status: int = 200,
) -> HttpResponse:
    shown = destinations_of(caller).get(pk=found.pk)
    is_on = shown.state != DestinationState.OFF
    managed = list(managed_boards_of(caller).order_by("name", "pk")) if may_connect(caller) else []
    used_by = {use.board_id for use in shown.board_rows.all()}
    forms = {
        "check_form": Form(),
        "default_form": Form(),
        "edit_form": Form(values=values_of(shown)),
        **dict([used] if used else []),
    }
    values = forms["edit_form"].values
    context = {
        "row": row_of(shown),
        "destination": shown,
        "is_on": is_on,
        "may_connect": is_on and may_connect(caller),
        "may_keep": is_on and may_keep(caller, shown),
        "managed": {board.pk for board in managed},
        "choices": [board for board in managed if board.archived_at is None and board.pk not in used_by],
        "example": example_of(caller, values["path_template"], values["prefix"]),
        **forms,
    }
    return partial_or_page(request, "destinations/_destination.html", "destinations/destination.html", context, status)
