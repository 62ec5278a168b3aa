"""The destinations of the workspace: where each goes, what uses it, and a new one."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from bakedbrie.lib import clock
from bakedbrie.lib.paging import PageInput, page
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.sealing import Secret
from bakedbrie.lib.toolkit.inputs import parse_query
from bakedbrie.lib.toolkit.tool import Answer, Effect
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.htmx import go_to, is_htmx, partial_or_page
from bakedbrie.lib.zones import zone
from boards.access import get_board, managed_boards_of, require_manager, require_open
from destinations.access import may_connect, require_connector
from destinations.calls.connecting import create_destination
from destinations.models import Destination
from destinations.receipts import message_of
from destinations.rules import DEFAULT_TEMPLATE, Subject, paths, template_problems
from destinations.selectors.destinations import destinations_of
from destinations.services.destinations import DestinationPlan, target_of
from destinations.services.typed_keys import drop_typed_key
from destinations.services.uses import set_default
from destinations.states import DestinationKind, DestinationState
from destinations.web.forms import SECRET, NewDestinationIn, given_from, parse_all, typed_in
from workspaces.access import require_capability
from workspaces.caller import Caller
from workspaces.services.replay import replay
from workspaces.web.session import member_page

_BOARD, _TITLE, _CARD = "Research", "Compare prices", uuid.UUID("0195f3a0-0000-7000-8000-000000000001")


@dataclass(frozen=True, kw_only=True)
class Row:
    """``trouble`` is empty while all is well; ``users`` names the boards and cards that the caller may open."""

    destination: Destination
    target: str
    trouble: str
    users: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Example:
    """The path that a made-up card would get, or what is wrong with the template."""

    path: str = ""
    problems: tuple[str, ...] = ()


@require_safe
@member_page
def destinations(request: HttpRequest, caller: Caller) -> HttpResponse:
    require_capability(caller, "destinations")
    given = parse_query(PageInput, {name: value for name, value in request.GET.dict().items() if value})
    found = destinations_of(caller).exclude(state=DestinationState.OFF)
    shown = page(found, cursor=given.cursor, limit=given.limit, order=("id",))
    context = {
        "rows": [row_of(one) for one in shown.items],
        "next_cursor": shown.next_cursor,
        "is_first": given.cursor is None,
        "may_connect": may_connect(caller),
    }
    return render(request, "destinations/destinations.html", context)


@sensitive_post_parameters(SECRET)
@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def new(request: HttpRequest, caller: Caller) -> HttpResponse:
    """Connect a bucket, once its service has taken the key. The secret is shown and kept nowhere else."""
    require_capability(caller, "destinations")
    require_connector(caller)
    if request.method != "POST":
        values = {"region": "auto", "path_template": DEFAULT_TEMPLATE, "board_id": request.GET.get("board", "")}
        return _show_new(request, caller, Form(values=values))
    typed = typed_in(request, "board_id", "confirm")
    try:
        answer = _connect(request, caller, typed)
    except Refused as refused:
        form = Form(values=typed, refused=show_in_place(refused))
        return _show_new(request, caller, form, status=refused_status(refused))
    return go_to(request, reverse("destination", args=[answer["destination_id"]]))


@require_safe
@member_page
def example(request: HttpRequest, caller: Caller) -> HttpResponse:
    """Show what the path of a card would be, while its template is typed."""
    require_capability(caller, "destinations")
    if not is_htmx(request):
        return HttpResponseRedirect(reverse("destinations"))
    template, prefix = (request.GET.get(name, "").strip() for name in ("path_template", "prefix"))
    return render(request, "destinations/_example.html", {"example": example_of(caller, template, prefix)})


def row_of(destination: Destination) -> Row:
    """Put a destination of `destinations_of` into words."""
    boards = [f"the board {use.board.name}" for use in destination.board_rows.all()]
    cards = [f"the card {use.card.title}" for use in destination.card_rows.all()]
    return Row(
        destination=destination,
        target=target_of(destination),
        trouble=message_of(destination.last_error) if destination.state == DestinationState.FAILING else "",
        users=(*boards, *cards),
    )


def example_of(caller: Caller, template: str, prefix: str) -> Example:
    template = template or DEFAULT_TEMPLATE
    problems = template_problems(template)
    if problems:
        return Example(problems=tuple(problems))
    today = clock.now().astimezone(zone(caller.workspace.time_zone)).date()
    subject = Subject(board_name=_BOARD, card_title=_TITLE, card_id=_CARD, day=today)
    (path,) = paths(template, subject, ["result.md"], has_result=True)
    folder = prefix.strip("/")
    return Example(path=f"{folder}/{path}" if folder else path)


def _connect(request: HttpRequest, caller: Caller, typed: dict[str, str]) -> Answer:
    """Ask the service once per form. What is kept to tell a form from its repetition leaves the secret out."""
    secret = Secret(request.POST.get(SECRET, "").strip())
    problems = {} if secret.reveal() else {SECRET: ["needed: the secret that belongs to this access key id"]}
    given = parse_all(NewDestinationIn, given_from(typed), problems)
    board = get_board(caller, given.board_id) if given.board_id is not None else None
    if board is not None:
        require_manager(caller, board)
        require_open(board)
    plan = DestinationPlan(name=given.name, config=given.bucket_config, path_template=given.path_template)

    def run() -> Answer:
        drop_id = drop_typed_key(caller, kind=DestinationKind.S3.value, key=secret)
        made = create_destination(caller, plan=plan, drop_id=drop_id)
        if board is not None:
            set_default(caller, destination=made, board=board)
        return {"destination_id": str(made.pk)}

    return replay(
        caller,
        request_id=request.POST.get("request_id", ""),
        call={"form": "connect_destination", **given.model_dump(mode="json")},
        effect=Effect.SEND,
        run=run,
    )


def _show_new(request: HttpRequest, caller: Caller, form: Form, *, status: int = 200) -> HttpResponse:
    context = {
        "form": form,
        "boards": managed_boards_of(caller).filter(archived_at=None).order_by("name", "pk"),
        "example": example_of(caller, form.values.get("path_template", ""), form.values.get("prefix", "")),
        "default_template": DEFAULT_TEMPLATE,
    }
    return partial_or_page(request, "destinations/_new.html", "destinations/new.html", context, status)
