"""What an agent asks, to be answered by a person: once, for exactly what the page shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from agents.access import get_approval, get_permit
from agents.inputs import AnswerApprovalIn
from agents.models import Approval
from agents.services.approvals import withdraw_permit
from agents.states import ApprovalState
from bakedbrie.lib.refusals import Refused
from bakedbrie.lib.toolkit.inputs import Input
from bakedbrie.lib.toolkit.tool import Answer
from bakedbrie.lib.web.forms import Form, refused_status, show_in_place
from boards.access import is_manager
from boards.contents import Content
from workflows.selectors.asked import contents_asked
from workflows.selectors.boards import can_write
from workflows.services.approvals import answer_approval, as_it_is_now
from workflows.web.review_pieces import piece_of
from workspaces.caller import Caller
from workspaces.web.session import member_page
from workspaces.web.submit import submit


@require_http_methods(["GET", "HEAD", "POST"])
@member_page
def approval(request: HttpRequest, caller: Caller, approval_id: str) -> HttpResponse:
    """GET shows the question and decides nothing; POST answers it and leads to its card."""
    asked = get_approval(caller, approval_id)
    if request.method != "POST":
        return _show(request, caller, asked, Form())

    def run(given: AnswerApprovalIn) -> Answer:
        answered = answer_approval(caller, approval=asked, answer=given.answer, input_hash=given.input_hash)
        return {"state": answered.state}

    try:
        given = {name: request.POST.get(name, "") for name in ("answer", "input_hash")}
        submit(request, caller, name=f"answer {asked.pk}", model=AnswerApprovalIn, given=given, run=run)
    except Refused as refused:
        form = Form(refused=show_in_place(refused))
        return _show(request, caller, get_approval(caller, approval_id), form, status=refused_status(refused))
    return HttpResponseRedirect(reverse("card", args=[asked.card_id]))


@require_POST
@member_page
def withdraw(request: HttpRequest, caller: Caller, permit_id: str) -> HttpResponse:
    """Let the agent ask again; its page follows."""
    permit = get_permit(caller, permit_id)

    def run(_: Input) -> Answer:
        withdraw_permit(caller, permit=permit)
        return {}

    submit(request, caller, name=f"withdraw {permit.pk}", model=Input, given={}, run=run)
    return HttpResponseRedirect(reverse("agent", args=[permit.agent_id]))


def _show(request: HttpRequest, caller: Caller, asked: Approval, form: Form, status: int = 200) -> HttpResponse:
    board = asked.card.board
    is_open = asked.state == ApprovalState.PENDING
    now = as_it_is_now(asked)
    context = {
        "approval": now,
        "pieces": _pieces(caller, now),
        "card": asked.card,
        "board": board,
        "is_open": is_open,
        "may_answer": is_open and can_write(caller) and board.archived_at is None,
        "may_say_always": is_manager(caller, board),
        "form": form,
        "refused": form.refused,
    }
    return render(request, "workflows/approval_page.html", context, status=status)


def _pieces(caller: Caller, asked: Approval) -> list[dict[str, Any]]:
    """Return every thing that the answer covers, under the name that was shown for it."""
    found = contents_asked(asked)
    return [piece_of(_content(shown, found), caller) for shown in asked.shown]


def _content(shown: Mapping[str, Any], found: Mapping[str, Content]) -> Content:
    """Return what was shown; of what is not on the card any more only what is known of it."""
    sha256 = shown["sha256"]
    known = found.get(sha256) or Content(name="", media_type="", bytes=shown["bytes"], sha256=sha256)
    return replace(known, name=shown["name"])
