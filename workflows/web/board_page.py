"""The board: its columns and their cards, those that changed since, and adding a card to a column."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from bakedbrie.lib import ids
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.htmx import is_htmx, partial_or_page, say
from bakedbrie.lib.web.words import BADGES
from boards.access import get_board, get_stage, is_manager
from boards.models import Board, Card
from boards.selectors.columns import MORE_CARDS, cards_after, fits, owners_on, placed_cards
from workflows.inputs import CreateCardIn
from workflows.selectors.boards import RuledColumn, board_counts, board_page, can_write
from workflows.selectors.starts import starts_on
from workflows.services.cards import create_card
from workflows.web.board_filter import ME, board_query
from workflows.web.peek import peek_on
from workspaces.caller import Caller
from workspaces.web.session import member_page
from workspaces.web.submit import submit

MOST_TILES = 30


@require_safe
@member_page
def board(request: HttpRequest, caller: Caller, board_id: str) -> HttpResponse:
    return show_board(request, caller, get_board(caller, board_id))


@require_safe
@member_page
def tiles(request: HttpRequest, caller: Caller, board_id: str) -> HttpResponse:
    """Answer with the named cards as they are now, each with its place, and with the counts of the columns."""
    board = get_board(caller, board_id)
    if not is_htmx(request):
        return HttpResponseRedirect(reverse("board", args=[board.pk]))
    query = board_query(request, caller)
    wanted = [ids.parse_id(card_id) for card_id in request.GET.getlist("card")[:MOST_TILES]]
    context = {
        "board": board,
        "cards": placed_cards(board, wanted, query.given),
        "columns": board_counts(caller, board, query.given),
        "may_write": can_write(caller) and board.archived_at is None,
        "query": query,
    }
    return render(request, "workflows/_tiles.html", context)


@require_safe
@member_page
def column(request: HttpRequest, caller: Caller, stage_id: str) -> HttpResponse:
    """Show the cards of a column after one of them: the next ones for the board, a page of its own otherwise."""
    stage = get_stage(caller, stage_id)
    query = board_query(request, caller)
    more = cards_after(stage, after=ids.parse_id(query.asked.after) if query.asked.after else None, given=query.given)
    context = {
        "board": stage.board,
        "stage": stage,
        "cards": more.cards,
        "left": more.left,
        "more": min(more.left, MORE_CARDS),
        "may_write": can_write(caller) and stage.board.archived_at is None,
        "query": query,
    }
    return partial_or_page(request, "workflows/_more_cards.html", "workflows/column_page.html", context)


@require_POST
@member_page
def add_card(request: HttpRequest, caller: Caller, board_id: str) -> HttpResponse:
    """Add a card and leave the form of its column open for the next one."""
    board = get_board(caller, board_id)
    typed = {field: request.POST.get(field, "") for field in ("title", "brief")}
    stage_id = request.POST.get("stage_id", "")

    def run(given: CreateCardIn) -> Answer:
        card = create_card(
            caller, board=board, stage=get_stage(caller, given.stage_id), title=given.title, brief=given.brief
        )
        return {"card_id": str(card.pk)}

    given = {"board_id": str(board.pk), "stage_id": stage_id, **typed}
    try:
        made = submit(request, caller, name="create_card", model=CreateCardIn, given=given, run=run)
    except Refused as refused:
        form = Form(values=typed, refused=show_in_place(refused))
        return show_board(request, caller, board, used=(f"composer-{stage_id}", form), status=refused_status(refused))
    told = "Card added." if _is_shown(request, caller, made["card_id"]) else "Card added. The filter hides it."
    return board_after(request, caller, board, told, used=(f"composer-{stage_id}", Form(is_open=True)))


def board_after(
    request: HttpRequest, caller: Caller, board: Board, told: str, *, used: tuple[str, Form] | None = None
) -> HttpResponse:
    """Answer a form that worked: the board anew for HTMX, the way back to its page otherwise."""
    if not is_htmx(request):
        return HttpResponseRedirect(reverse("board", args=[board.pk]))
    return say(show_board(request, caller, board, used=used), told)


def show_board(
    request: HttpRequest, caller: Caller, board: Board, *, used: tuple[str, Form] | None = None, status: int = 200
) -> HttpResponse:
    """Render the board; ``used`` is the form that was just sent, behind the id of what it stands in."""
    query = board_query(request, caller)
    page = board_page(caller, board, given=query.given, most=query.asked.shown)
    used_id, form = used or ("", Form())
    refused = form.refused or query.refused
    is_open = board.archived_at is None
    may_write = page.can_write and is_open
    starts = starts_on(caller, page) if may_write else {}
    context = {
        "board": board,
        "page": page,
        "columns": [
            {**_shown(column, page.columns, used_id, form), "start": starts.get(column.stage.pk)}
            for column in page.columns
        ],
        "new_column_form": form if used_id == "new-column" else Form(),
        "may_write": may_write,
        "may_delete_columns": page.can_write and is_open and is_manager(caller, board),
        "refused": refused,
        "query": query,
        "total": sum(column.total for column in page.columns),
        "found": sum(column.found for column in page.columns),
        "owners": _owners(caller, board),
        "states": BADGES,
        "peek": peek_on(caller, query.asked.card, board) if query.asked.card and not is_htmx(request) else None,
    }
    if query.refused and status == 200:
        status = refused_status(query.refused)
    return partial_or_page(request, "workflows/_board.html", "workflows/board_page.html", context, status)


def _owners(caller: Caller, board: Board) -> list[tuple[str, str]]:
    """Return whom the filter offers; who looks comes first, and needs no name there."""
    return [(ME, "Me"), *((str(one.pk), one.name) for one in owners_on(board) if one.pk != caller.actor.pk)]


def _is_shown(request: HttpRequest, caller: Caller, card_id: object) -> bool:
    given = board_query(request, caller).given
    return not given.is_on or fits(Card(pk=ids.parse_id(card_id)), given)


def _shown(column: RuledColumn, columns: tuple[RuledColumn, ...], used_id: str, form: Form) -> dict[str, object]:
    """Return a column with its forms; the first one and the last one keep their places."""
    place, last = columns.index(column), len(columns) - 1
    return {
        "column": column,
        "more": min(column.left, MORE_CARDS),
        "form": form if used_id == f"composer-{column.stage.pk}" else Form(),
        "menu_form": form if used_id == f"column-menu-{column.stage.pk}" else Form(),
        "is_between": 0 < place < last,
        "may_go_left": 1 < place < last,
        "may_go_right": 0 < place < last - 1,
    }
