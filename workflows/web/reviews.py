"""Reviews for people: what waits, one review as it will be seen, and the decision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_safe

from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import parse
from bakedbrie.lib.toolkit.tool import Answer, Effect
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.paging import page_in_address
from boards.access import get_board
from boards.models import Board
from reviews.access import get_review
from reviews.inputs import DecideReviewIn
from reviews.models import Review
from reviews.refusals import MAKER_CANNOT_APPROVE, NOT_NAMED_REVIEWER
from reviews.selectors.reviews import list_reviews, quick_decisions
from reviews.states import Door, ReviewState, Verdict
from workflows.selectors.boards import can_write
from workflows.selectors.review_groups import MOST_TOGETHER, Block, grouped
from workflows.selectors.review_page import OPEN_SHOWN, see_review, waiting_reviews
from workflows.services.reviewing import decide_review
from workflows.web.review_pieces import changes_in, opened_at, opened_now, piece_of
from workspaces.access import require_capability
from workspaces.caller import Caller
from workspaces.roles import Role, is_at_least
from workspaces.services.replay import replay
from workspaces.web.session import member_page

ROWS = 50
_STATES = (
    ("open", "Waiting"),
    ("approved", "Approved"),
    ("changes_requested", "Changes requested"),
    ("rejected", "Rejected"),
    ("canceled", "Closed"),
)
# Their page says why: the person keeps their note, and sees who may.
SHOWN_IN_PLACE = frozenset({MAKER_CANNOT_APPROVE.code, NOT_NAMED_REVIEWER.code})


@require_safe
@member_page
def reviews(request: HttpRequest, caller: Caller) -> HttpResponse:
    """Show what waits for a decision: what leaves the house first, then what cost most, then the oldest."""
    require_capability(caller, "reviews")
    state = request.GET.get("state", "")
    state = state if state in dict(_STATES) else ReviewState.OPEN.value
    board = get_board(caller, request.GET["board_id"]) if request.GET.get("board_id") else None
    context = {
        **_lines(request, caller, board, state),
        "state": state,
        "board": board,
        "states": _STATES,
        "kept": urlencode({"state": state, **({"board_id": str(board.pk)} if board else {})}),
        "list_url": reverse("reviews"),
        "most_together": MOST_TOGETHER,
        "quick": quick_decisions(caller.workspace) if is_at_least(caller.role, Role.ADMIN) else None,
    }
    return render(request, "workflows/reviews_page.html", context)


def _lines(request: HttpRequest, caller: Caller, board: Board | None, state: str) -> dict[str, Any]:
    """Return the first of what waits, by their weight, or the newest of what is over, in pages."""
    if state == ReviewState.OPEN:
        waiting = waiting_reviews(caller, board=board)
        lines = list(waiting[: OPEN_SHOWN + 1])
        hidden = waiting.count() - OPEN_SHOWN if len(lines) > OPEN_SHOWN else 0
        return {"blocks": grouped(lines[:OPEN_SHOWN]), "hidden": hidden, "next_cursor": None, "is_first": True}
    found = page_in_address(request, list_reviews(caller, board=board, state=state), limit=ROWS, order=("-id",))
    blocks = [Block(lines=found.items)] if found.items else []
    return {"blocks": blocks, "next_cursor": found.next_cursor, "is_first": "cursor" not in request.GET}


@require_safe
@member_page
def reviews_link(request: HttpRequest, caller: Caller) -> HttpResponse:
    """Return the link of the top bar with how many wait now: an open page asks when its board has told of a review."""
    return render(request, "components/_to_reviews.html")


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def review(request: HttpRequest, caller: Caller, review_id: str) -> HttpResponse:
    """GET shows and never decides; POST decides on exactly what was shown, and leads to the card."""
    require_capability(caller, "reviews")
    found = get_review(caller, review_id)
    if request.method != "POST":
        return _show(request, caller, found, Form())
    typed = {
        "review_id": str(found.pk),
        "decision": request.POST.get("decision", ""),
        "intent_hash": request.POST.get("intent_hash", ""),
        "note": request.POST.get("note", "").replace("\r\n", "\n"),
    }
    try:
        _decide(request, caller, found, typed)
    except Refused as refused:
        shown = refused if refused.code in SHOWN_IN_PLACE else show_in_place(refused)
        form = Form(values={"note": typed["note"]}, refused=shown)
        return _show(request, caller, get_review(caller, review_id), form, status=refused_status(refused))
    return HttpResponseRedirect(reverse("card", args=[found.card_id]))


def _decide(request: HttpRequest, caller: Caller, found: Review, typed: Mapping[str, Any]) -> None:
    given = parse(DecideReviewIn, typed)

    def run() -> Answer:
        decision = decide_review(
            caller,
            review=found,
            intent_hash=given.intent_hash,
            decision=Verdict(given.decision),
            note=given.note,
            door=Door.WEB,
            opened_at=opened_at(caller, found, request.POST.get("opened", "")),
        )
        return {"decision": decision.decision}

    call = {"form": "decide_review", **given.model_dump(mode="json")}
    request_id = request.POST.get("request_id", "")
    replay(caller, request_id=request_id, call=call, effect=Effect.SEND, run=run)


def _show(request: HttpRequest, caller: Caller, found: Review, form: Form, status: int = 200) -> HttpResponse:
    seen = see_review(caller, found)
    context = {
        "review": found,
        "card": found.card,
        "board": found.board,
        "seen": seen,
        "pieces": [piece_of(content, caller) for content in seen.contents],
        "lines": changes_in(seen),
        "form": form,
        "refused": form.refused,
        "opened": opened_now(caller, found),
        "may_write": can_write(caller),
        "note_error": form.errors.get("note", []),
    }
    return render(request, "workflows/review_page.html", context, status=status)
