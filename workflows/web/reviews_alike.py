"""Reviews that are alike, shown whole one below the other; some of them are approved in one go, each by itself."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from bakedbrie.lib.refusals import INVALID_INPUT, PREVIEW_CHANGED, Refused
from bakedbrie.lib.toolkit.tool import Answer, Effect
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from bakedbrie.lib.web.words import fix_for_people
from reviews.access import get_review, reviews_of
from reviews.models import Review
from reviews.refusals import REVIEW_NOT_LOOKED_AT, REVIEWS_DIFFER, WORK_FOLDER_UNREACHABLE
from reviews.states import Door, Verdict
from workflows.selectors.boards import can_write
from workflows.selectors.review_groups import MOST_TOGETHER, alike_reviews, shape_of
from workflows.selectors.review_page import see_review
from workflows.services.reviewing import decide_review
from workflows.web.review_pieces import changes_in, is_shown_whole, opened_at, opened_now, piece_of
from workspaces.access import require_capability, require_writer
from workspaces.caller import Caller
from workspaces.services.replay import replay
from workspaces.web.session import member_page

_CONFLICT = 409
_ALL_S = 120.0  # with the last look, which may take a minute, far less than a call may be in progress
_SHOWN = "review shown"  # the salt of what was shown to somebody
_LOOK_AGAIN = "Open it to see how it is now, then decide."


@dataclass(frozen=True, kw_only=True)
class Shown:
    """One review as it was shown to a member: which one, under which hash, and of which shape."""

    review_id: str
    intent_hash: str
    shape: str


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def alike(request: HttpRequest, caller: Caller, review_id: str) -> HttpResponse:
    """GET shows a review and those like it, and decides nothing; POST approves those that were ticked."""
    require_capability(caller, "reviews")
    found = get_review(caller, review_id)
    if request.method != "POST":
        return _show(request, caller, found, Form()) if found.is_open else HttpResponseRedirect(reverse("reviews"))
    require_writer(caller)
    try:
        answer = _approve(request, caller, found)
    except Refused as refused:
        form = Form(refused=show_in_place(refused))
        return _show(request, caller, found, form, status=refused_status(refused))
    return _tell(request, caller, found, answer["outcomes"])


def _approve(request: HttpRequest, caller: Caller, found: Review) -> Answer:
    """Approve each that was ticked; what one of them is refused with says nothing about the others.

    After two minutes no further one is looked at.
    """
    ticked = _ticked(request, caller)
    began = opened_at(caller, found, request.POST.get("opened", ""))

    def run() -> Answer:
        outcomes: list[dict[str, str]] = []
        ends_at = time.monotonic() + _ALL_S
        for one in ticked:
            is_shut = bool(outcomes) and outcomes[-1]["code"] == WORK_FOLDER_UNREACHABLE.code
            if is_shut:
                outcomes.append({**outcomes[-1], "review": one.review_id})
            elif time.monotonic() >= ends_at:
                outcomes.append(_refused_with(one, REVIEW_NOT_LOOKED_AT()))
            else:
                outcomes.append(_approve_one(caller, one, began))
        return {"outcomes": outcomes}

    call = {"form": "approve_alike", "reviews": [[one.review_id, one.intent_hash] for one in ticked]}
    request_id = request.POST.get("request_id", "")
    return replay(caller, request_id=request_id, call=call, effect=Effect.SEND, run=run)


def _approve_one(caller: Caller, one: Shown, began: datetime | None) -> dict[str, str]:
    """Approve it under the hash that was shown, and say what it was refused with, if it was."""
    try:
        decide_review(
            caller,
            review=get_review(caller, one.review_id),
            intent_hash=one.intent_hash,
            decision=Verdict.APPROVE,
            door=Door.WEB,
            opened_at=began,
        )
    except Refused as refused:
        return _refused_with(one, refused)
    return {"review": one.review_id, "code": "", "message": "", "fix": ""}


def _refused_with(one: Shown, refused: Refused) -> dict[str, str]:
    fix = _LOOK_AGAIN if refused.code == PREVIEW_CHANGED.code else fix_for_people(refused)
    return {"review": one.review_id, "code": refused.code, "message": refused.message, "fix": fix}


def _ticked(request: HttpRequest, caller: Caller) -> Sequence[Shown]:
    """Return what this person was shown and ticked. What differs is never approved together, whoever says so."""
    shown = {one.review_id: one for one in (_read(caller, text) for text in request.POST.getlist("shown"))}
    if not shown or len(shown) > MOST_TOGETHER:
        raise INVALID_INPUT(fields={"shown": [f"needs 1 to {MOST_TOGETHER} reviews: tick what is to be approved"]})
    if len({one.shape for one in shown.values()}) > 1:
        raise REVIEWS_DIFFER()
    return list(shown.values())


def _read(caller: Caller, text: str) -> Shown:
    """Return what stands under our signature; what was never shown to this member was seen by nobody."""
    try:
        member, review_id, intent_hash, shape = signing.loads(text, salt=_SHOWN)
    except (signing.BadSignature, TypeError, ValueError):
        raise PREVIEW_CHANGED() from None
    if member != str(caller.member.pk):
        raise PREVIEW_CHANGED()
    return Shown(review_id=review_id, intent_hash=intent_hash, shape=shape)


def _sign(caller: Caller, shown: Shown) -> str:
    return signing.dumps([str(caller.member.pk), shown.review_id, shown.intent_hash, shown.shape], salt=_SHOWN)


def _show(request: HttpRequest, caller: Caller, found: Review, form: Form, status: int = 200) -> HttpResponse:
    waiting = alike_reviews(caller, found)
    seen = [_seen(caller, review) for review in waiting[:MOST_TOGETHER]]
    shown = [one for one in seen if one["shape"] == seen[0]["shape"]]
    context = {
        "found": found,
        "board": found.board,
        "shown": shown,
        "left_over": len(waiting) - len(shown),
        "tickable": sum(bool(one["tick"]) for one in shown),
        "form": form,
        "refused": form.refused,
        "opened": opened_now(caller, found),
        "may_write": can_write(caller),
    }
    return render(request, "workflows/reviews_alike_page.html", context, status=status)


def _seen(caller: Caller, review: Review) -> dict[str, Any]:
    """Return one of them as it is now. It can be ticked where all of it is shown, and this person may approve it."""
    seen = see_review(caller, review)
    pieces = [piece_of(content, caller) for content in seen.contents]
    is_whole = bool(pieces) and all(is_shown_whole(piece) for piece in pieces)
    shape = shape_of(review, following=seen.following, kinds=(content.media_type for content in seen.contents))
    against = seen.why_not[Verdict.APPROVE.value]
    shown = Shown(review_id=str(review.pk), intent_hash=seen.intent_hash, shape=shape)
    return {
        "review": review,
        "seen": seen,
        "pieces": pieces,
        "lines": changes_in(seen),
        "shape": shape,
        "against": against,
        "is_whole": is_whole,
        "tick": _sign(caller, shown) if is_whole and against is None and can_write(caller) else "",
    }


def _tell(request: HttpRequest, caller: Caller, found: Review, outcomes: Sequence[Mapping[str, str]]) -> HttpResponse:
    """Say of each what became of it."""
    reviews = reviews_of(caller).select_related("card").in_bulk([one["review"] for one in outcomes])
    told = [{**one, "about": reviews.get(uuid.UUID(one["review"]))} for one in outcomes]
    context = {
        "board": found.board,
        "approved": [one for one in told if not one["code"]],
        "not_approved": [one for one in told if one["code"]],
    }
    status = _CONFLICT if context["not_approved"] else 200
    return render(request, "workflows/reviews_approved_page.html", context, status=status)
